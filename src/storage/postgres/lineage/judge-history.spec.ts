import { expect, test } from '@jest/globals';
import type { DatabaseHistory, KnownHistory } from './judge-history.js';
import { judgeHistory } from './judge-history.js';

/** Lineage 7 starts at 100 and ends at 120, lineage 8 starts at 1000; compacted up to 90. */
const PAST: DatabaseHistory = {
  lineage: 8,
  value: 1010,
  atHome: true,
  compacted: 90,
  lineages: [
    { id: 7, ended: 95, began: 100 },
    { id: 8, ended: 120, began: 1000 },
  ],
};

test.each<[string, KnownHistory | undefined, Partial<DatabaseHistory>, ReturnType<typeof judgeHistory>]>([
  ['a process that knows nothing goes on', undefined, {}, { continuous: true }],
  ['a process that knows nothing begins a lineage elsewhere', undefined, { atHome: false }, { continuous: true, beginAfter: 1010 }],
  ['what is newest is known', { lineage: 8, newest: 1010 }, {}, { continuous: true }],
  ['it may have been behind', { lineage: 8, newest: 1000 }, {}, { continuous: true }],
  ['it may be of the lineage before', { lineage: 7, newest: 120 }, {}, { continuous: true }],
  ['its place was left', { lineage: 7, newest: 120 }, { atHome: false }, { continuous: true, beginAfter: 1010 }],
  ['more was seen of the lineage before, as the gap tells', { lineage: 7, newest: 121 }, {}, { continuous: false }],
  ['more was seen than there is', { lineage: 8, newest: 1011 }, {}, { continuous: false, beginAfter: 1010 }],
  ['more was seen of the lineage before than the gap tells', { lineage: 7, newest: 1005 }, {}, { continuous: false, beginAfter: 120 }],
  ['a lineage that is not of this history, as a gap tells', { lineage: 9, newest: 999 }, {}, { continuous: false }],
  ['a lineage that is not of this history, as nothing tells', { lineage: 9, newest: 1000 }, {}, { continuous: false, beginAfter: 90 }],
  ['a lineage that is compacted', { lineage: 6, newest: 89 }, {}, { continuous: false }],
  [
    'a lineage that another one has taken back',
    { lineage: 8, newest: 1010 },
    { lineage: 9, value: 2000, lineages: [...PAST.lineages, { id: 9, ended: 120, began: 2000 }] },
    { continuous: false },
  ],
])('%s', (_, known, changes, judgement) => {
  expect(judgeHistory({ ...PAST, ...changes }, known)).toEqual(judgement);
});
