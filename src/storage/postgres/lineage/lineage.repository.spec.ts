import { expect, test } from '@jest/globals';
import { type DatabaseHistory, type KnownHistory, judgeHistory } from './lineage.repository.js';

/** Lineage 7 starts at 100 and ends at 120, lineage 8 starts at 1000; compacted up to 90. */
const HISTORY: DatabaseHistory = {
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
  ['a process that has seen nothing continues', undefined, {}, { continuous: true }],
  [
    'a process that has seen nothing starts a lineage if the database was restarted or copied',
    undefined,
    { atHome: false },
    { continuous: true, beginAfter: 1010 },
  ],
  ['the newest revision was seen', { lineage: 8, newest: 1010 }, {}, { continuous: true }],
  ['an earlier revision was seen', { lineage: 8, newest: 1000 }, {}, { continuous: true }],
  ['the last revision of the previous lineage was seen', { lineage: 7, newest: 120 }, {}, { continuous: true }],
  [
    'the database was restarted or copied, and contains every revision seen',
    { lineage: 7, newest: 120 },
    { atHome: false },
    { continuous: true, beginAfter: 1010 },
  ],
  ['a lost revision of the previous lineage was seen, and it lies in the gap', { lineage: 7, newest: 121 }, {}, { continuous: false }],
  ['a revision above the newest was seen', { lineage: 8, newest: 1011 }, {}, { continuous: false, beginAfter: 1010 }],
  [
    'a lost revision of the previous lineage was seen, and it lies above the gap',
    { lineage: 7, newest: 1005 },
    {},
    { continuous: false, beginAfter: 120 },
  ],
  ['an unknown lineage was seen, up to a revision in the gap', { lineage: 9, newest: 999 }, {}, { continuous: false }],
  [
    'an unknown lineage was seen, up to a revision that the database has',
    { lineage: 9, newest: 1000 },
    {},
    { continuous: false, beginAfter: 90 },
  ],
  ['a compacted lineage was seen', { lineage: 6, newest: 89 }, {}, { continuous: false }],
  [
    'a later lineage starts before the one that was seen',
    { lineage: 8, newest: 1010 },
    { lineage: 9, value: 2000, lineages: [...HISTORY.lineages, { id: 9, ended: 120, began: 2000 }] },
    { continuous: false },
  ],
])('%s', (_, known, changes, judgement) => {
  expect(judgeHistory({ ...HISTORY, ...changes }, known)).toEqual(judgement);
});
