import type { CostSequence, Step } from './cost-sequence.js';

/** Each try takes seconds. */
const MAX_TRIES = 40;

/**
 * Finds a small sequence that still exceeds a bound: drops steps, then halves repeats, then drops connections. Costs vary between tries, so
 * a smaller sequence may be missed.
 */
export async function reduceSequence(sequence: CostSequence, isBeyond: (smaller: CostSequence) => Promise<boolean>): Promise<CostSequence> {
  let smallest = sequence;
  let tries = 0;
  for (let progress = true; progress;) {
    progress = false;
    for (const smaller of smallerThan(smallest)) {
      if (++tries > MAX_TRIES) return smallest;
      if (!(await isBeyond(smaller))) continue;
      smallest = smaller;
      progress = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan(sequence: CostSequence): Generator<CostSequence> {
  const { steps, connections } = sequence;
  if (steps.length > 1) for (const [at] of steps.entries()) yield { ...sequence, steps: steps.filter((_, index) => index !== at) };
  if (connections > 1) yield { ...sequence, connections: Math.floor(connections / 2) };
  for (const [at, step] of steps.entries()) if (step.times > 1) yield { ...sequence, steps: steps.with(at, halved(step)) };
}

function halved(step: Step): Step {
  return { ...step, times: Math.floor(step.times / 2) };
}
