import { Random } from '../random.js';
import { type CostSequence, type Step, type StepKind, HTTP1_KINDS, HTTP2_KINDS } from './cost-sequence.js';

const MAX_STEPS = 8;
const MAX_CONNECTIONS = 4;
/** Zero is more frequent than the others. */
const WINDOWS = [0, 0, 0, 0, 1, 63, 255, 4096, 65_535, 2 ** 31 - 1] as const;

/** The maximum repeats of a step per kind, and the sizes to choose from. */
const SHAPES: Readonly<Record<StepKind, { readonly times: number; readonly sizes: readonly number[] }>> = {
  get: { times: 100, sizes: [0] },
  post: { times: 100, sizes: [0, 100, 1_000_000] },
  repeat: { times: 50, sizes: [2, 100, 250, 1900, 4000] },
  data: { times: 2000, sizes: [0, 1, 64, 100, 1000, 15_000] },
  stray: { times: 500, sizes: [0, 1, 1000, 15_000] },
  padded: { times: 500, sizes: [0, 1000, 15_000] },
  settings: { times: 5000, sizes: [1, 63, 65_535] },
  'widen-stream': { times: 5000, sizes: [1, 63, 100_000] },
  'widen-connection': { times: 5000, sizes: [1, 63, 100_000] },
  cancel: { times: 100, sizes: [0] },
  fault: { times: 100, sizes: [0, 1] },
  ping: { times: 5000, sizes: [0] },
  priority: { times: 5000, sizes: [0] },
  unknown: { times: 5000, sizes: [0, 1, 1000] },
  continuation: { times: 200, sizes: [0, 1, 100, 5000] },
  chunks: { times: 2000, sizes: [1, 16, 64, 1000, 15_000] },
  upgrade: { times: 1, sizes: [0] },
  pause: { times: 1, sizes: [10, 100] },
};

/** The sequence of a seed; the same on every machine. */
export function sequenceOf(seed: number): CostSequence {
  const random = new Random(seed);
  const protocol = random.chance(0.8) ? 'h2' : 'http/1.1';
  return {
    protocol,
    connections: 1 + random.below(MAX_CONNECTIONS),
    initialWindow: random.pick(WINDOWS),
    reads: random.chance(0.6),
    steps: stepsOf(random, protocol),
  };
}

/** Starts with requests, because most frames have no effect without a stream; sometimes repeats earlier steps. */
function stepsOf(random: Random, protocol: CostSequence['protocol']): Step[] {
  const kinds = protocol === 'h2' ? HTTP2_KINDS : HTTP1_KINDS;
  const steps: Step[] = [stepOf(random, random.pick(['get', 'get', 'post', 'repeat']))];
  for (let count = random.below(MAX_STEPS); count > 0; count--) {
    const before = steps[random.below(steps.length)];
    steps.push(before && random.chance(0.2) ? before : stepOf(random, random.pick<StepKind>(kinds)));
  }
  return steps;
}

function stepOf(random: Random, kind: StepKind): Step {
  const { times, sizes } = SHAPES[kind];
  return { kind, times: random.chance(0.5) ? times : 1 + random.below(times), size: random.pick(sizes), target: random.below(1000) };
}
