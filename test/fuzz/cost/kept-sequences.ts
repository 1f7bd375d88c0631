import type { CostSequence, Step, StepKind } from './cost-sequence.js';

/** A sequence that once cost far more than allowed; replayed by test/e2e/fuzz/cost.test.ts. */
export interface KeptSequence {
  readonly name: string;
  readonly sequence: CostSequence;
}

const withheld = { protocol: 'h2', connections: 1, initialWindow: 0, reads: true } as const;

function step(kind: StepKind, times: number, size = 0, target = 0): Step {
  return { kind, times, size, target };
}

/** Targets of hostile-requests.ts. */
const LEASE = 0;
const READYZ = 9;
const DOCUMENT = 10;
const REFUSED = 2;

export const KEPT_SEQUENCES: readonly KeptSequence[] = [
  {
    name: 'windows that change by SETTINGS while 100 answers wait for that of the connection',
    sequence: {
      ...withheld,
      initialWindow: 65_535,
      reads: false,
      steps: [step('get', 1, 0, DOCUMENT), step('get', 99, 0, LEASE), step('settings', 5000, 65_534), step('settings', 4000, 65_534)],
    },
  },
  {
    name: 'a large document that 100 streams do not read',
    sequence: { ...withheld, steps: [step('get', 100, 0, DOCUMENT)] },
  },
  {
    name: 'a body of small frames, each beside one that is thrown away',
    sequence: {
      ...withheld,
      initialWindow: 65_535,
      steps: [step('get', 1, 0, LEASE), step('post', 1, 1_000_000), step('padded', 2000, 14_500)],
    },
  },
  {
    name: 'bodies behind refused requests that nobody reads',
    sequence: { ...withheld, steps: [step('get', 1, 0, LEASE), step('post', 99, 1_000_000, REFUSED), step('padded', 2000, 14_500)] },
  },
  {
    name: 'requests of 1,900 fields of one byte each whose answers are not read',
    sequence: { ...withheld, steps: [step('repeat', 50, 1900, 0), step('repeat', 50, 1900, 0)] },
  },
  {
    name: 'one long header, repeated by reference',
    sequence: { ...withheld, initialWindow: 65_535, steps: [step('repeat', 100, 240, 5), step('repeat', 100, 240, 3)] },
  },
  {
    name: 'checks of health without credentials',
    sequence: {
      ...withheld,
      initialWindow: 65_535,
      connections: 2,
      steps: Array.from({ length: 20 }, () => [step('get', 100, 0, READYZ), step('pause', 1, 30)]).flat(),
    },
  },
];
