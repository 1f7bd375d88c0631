import { acknowledged } from './acknowledged.js';
import { type LeaseEvidence, handOversIn, raceReport } from './race-report.js';
import type { Term } from './term-disagreements.js';
import { writesOf } from './writes-of.js';

const time = (second: number) => new Date(second * 1000).toISOString();
const version = (revision: bigint, holder: string, transitions: number, acquired: number) => {
  return { revision, holder, transitions, acquireTime: time(acquired), renewTime: time(acquired) };
};
const VERSIONS = [version(1n, 'typescript-0.1', 0, 0), version(5n, '', 0, 2), version(7n, 'go-0.1', 1, 3)];
const TERMS: readonly Term[] = [
  { token: 1n, holder: 'typescript-0.1', began: time(0), until: time(2), reason: 'Released' },
  { token: 7n, holder: 'go-0.1', began: time(3), until: null, reason: null },
];
const FIRST = { holder: 'typescript-0.1', token: 1n };
const EVIDENCE: LeaseEvidence = {
  lease: 'race-0',
  versions: VERSIONS,
  watched: VERSIONS,
  accepted: { count: 1, stale: 0, tokens: [{ token: 1n, writer: '' }] },
  recorded: TERMS,
  served: TERMS,
  beliefs: [FIRST, { holder: 'go-0.1', token: undefined }],
  acknowledged: [FIRST],
  overstays: [{ holder: 'go-0.1', ms: 7000 }],
  toldToStop: ['typescript-0.1'],
};
type Run = Parameters<typeof raceReport>[0];
const RUN: Run = {
  ...{ seconds: 1, processes: 2, kinds: ['go', 'typescript'], disturbances: {}, ofLeaders: {} },
  writes: { committed: 1, stale: 1, unknown: 0 },
  byHolders: { committed: 0, stale: 0, unknown: 0 },
  byRecipe: { accepted: 2, refused: 1, staleAccepted: 0 },
  ...{ lost: [], errors: {}, handOvers: { 'longest term': 0, preferred: 0 } },
};
const later = (holder: string, token: bigint): Term => ({ token, holder, began: time(9), until: null, reason: null });

it('hand-overs are counted by what their holders tell', () => {
  const lines = ['lost typescriptterm-1.1 max-term', 'lost typescriptterm-1.2 preferred', 'lost typescriptterm-1.3 aborted'];
  const told = [
    'coordination-apiserver elect: x_1 is preferred: the lease is renewed',
    'x: the longest term is over: the lease is renewed',
  ];
  expect(handOversIn([...lines, ...told])).toEqual({ 'longest term': 2, preferred: 2 });
});

describe('raceReport', () => {
  it('finds nothing where all agree', () => {
    expect(raceReport(RUN, [EVIDENCE], []).failures).toEqual([]);
  });

  it('finds that nobody has handed over where somebody should have', () => {
    const { failures } = raceReport({ ...RUN, kinds: ['go', 'typescript', 'shellterm'] }, [EVIDENCE], []);
    expect(failures).toEqual([
      'no shellterm candidate ever led',
      'no term was handed over: longest term',
      'no term was handed over: preferred',
    ]);
  });

  it.each<[string, Partial<LeaseEvidence>, string]>([
    [
      'an acquisition that is no write',
      { beliefs: [{ holder: 'typescript-0.1', token: 2n }] },
      'typescript-0.1 got 2, no write of its own',
    ],
    ['an acknowledged renewal that is missing', { acknowledged: [{ ...FIRST, token: 3n }] }, 'typescript-0.1 got 3, no write of its own'],
    ['a holder that goes on for too long', { overstays: [{ holder: 'typescript-0.1', ms: 5001 }] }, 'lead for 5001 ms after it had lost'],
    ['a version that the watch skips', { watched: VERSIONS.toSpliced(1, 1) }, 'the watch has 7 go-0.1'],
    ['a version that the watch has alone', { watched: [...VERSIONS, version(9n, '', 1, 4)] }, 'the log has nothing more'],
    ['another holder in the watch', { watched: VERSIONS.with(2, version(7n, 'go-1.1', 1, 3)) }, 'the watch has 7 go-1.1'],
    ['a term that the API lists alone', { served: [...TERMS, later('go-1.1', 8n)] }, 'the API has 8 go-1.1'],
    [
      'another end in the API',
      { served: TERMS.with(0, { ...(TERMS[0] as Term), reason: 'Expired' }) },
      '2.000Z Expired where the view has',
    ],
    ['a term that was not recorded', { recorded: TERMS.slice(0, 1), served: TERMS.slice(0, 1) }, 'go-0.1 from 7 on is not recorded'],
    ['a stale write', { accepted: { ...EVIDENCE.accepted, stale: 1 } }, '1 stale writes were accepted'],
    ['that no holder releases when it is told', { toldToStop: ['go-0.1'] }, 'no holder that was told to stop released its lease'],
  ])('finds %s', (_, own, failure) => {
    expect(raceReport(RUN, [{ ...EVIDENCE, ...own }], []).failures).toContainEqual(expect.stringContaining(failure));
  });

  it.each<[string, Partial<Run>, string]>([
    ['a row that is lost', { lost: ['17'] }, 'the row at 17 was acknowledged, but is missing'],
    ['a stale write by the recipe', { byRecipe: { ...RUN.byRecipe, staleAccepted: 1 } }, '1 stale writes were accepted by the recipe'],
    ['that none was tried', { byRecipe: { ...RUN.byRecipe, refused: 0 } }, 'no stale write was tried under the recipe'],
    ['a kind that never leads', { kinds: ['go', 'typescript', 'sql'] }, 'no sql candidate ever led'],
  ])('finds %s', (_, own, failure) => {
    expect(raceReport({ ...RUN, ...own }, [EVIDENCE], []).failures).toEqual([failure]);
  });
});

test('what programs print of their writes', () => {
  const lines = ['leading a 5', 'wrote 3 1 0 0', 'acknowledged a 5', 'wrote 2 0 1 17', 'wrote 0 9 0 17', 'written 5', 'refused 5'];
  expect(writesOf(lines)).toEqual({ committed: 6, stale: 11, unknown: 1 });
  expect(acknowledged(lines)).toEqual({ revisions: [{ holder: 'a', token: 5n }], positions: [17n] });
});
