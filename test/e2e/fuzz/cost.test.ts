import path from 'node:path';
import { forAllTests } from '../../support/for-tests.js';
import { CostBench } from '../../fuzz/cost/cost-bench.js';
import { beyondBounds } from '../../fuzz/cost/cost-bounds.js';
import { KEPT_SEQUENCES } from '../../fuzz/cost/kept-sequences.js';

/** `npm run program fuzz-cost` measures the latency of other clients; here other tests run at the same time. */
const NO_LATENCIES = { floorMs: Infinity };
const TIMES = { baselineMs: 300, holdMs: 300 };

const bench = forAllTests(() => CostBench.start(path.resolve(import.meta.dirname, '../../..')));

test.each(KEPT_SEQUENCES)(
  '$name costs the server no more than its bound',
  async ({ sequence }) => {
    const { work, cost } = await bench.measure(sequence, TIMES);
    expect(beyondBounds(work, cost, NO_LATENCIES)).toEqual([]);
  },
  120_000,
);
