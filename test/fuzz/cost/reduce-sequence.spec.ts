import type { CostSequence, Step, StepKind } from './cost-sequence.js';
import { reduceSequence } from './reduce-sequence.js';

const step = (kind: StepKind, times: number): Step => ({ kind, times, size: 0, target: 0 });
const sequence: CostSequence = {
  protocol: 'h2',
  connections: 4,
  initialWindow: 0,
  reads: true,
  steps: [step('ping', 5), step('get', 100), step('cancel', 3), step('settings', 5000)],
};

test('irrelevant steps are dropped, and relevant repeats are halved while they remain relevant', async () => {
  const times = ({ steps }: CostSequence, kind: StepKind) =>
    steps.filter((each) => each.kind === kind).reduce((all, each) => all + each.times, 0);
  const isBeyond = (each: CostSequence) => Promise.resolve(times(each, 'get') >= 50 && times(each, 'settings') >= 1000);
  const reduced = await reduceSequence(sequence, isBeyond);
  expect(reduced).toEqual({ ...sequence, connections: 1, steps: [step('get', 50), step('settings', 1250)] });
});

test('the reduction ends after a number of tries with the smallest sequence so far', async () => {
  let tries = 0;
  const reduced = await reduceSequence(sequence, () => Promise.resolve(++tries < 1000));
  expect(tries).toBeLessThanOrEqual(40);
  expect(reduced.steps).toEqual([step('settings', 1)]);
});
