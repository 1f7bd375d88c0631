import { linePlot } from '../report/line-plot.js';
import type { Assumptions } from './assumptions.js';
import { COMMITS } from './growth-tables.js';
import { simulate } from './simulate.js';

const SIMULATED_MS = 3000;
const REPLICAS = 4;
const RATE = 6500;
const LATENCY = { title: 'p99, ms', from: 1, to: 1000, ticks: [1, 10, 100, 1000], logarithmic: true };

/** The 99th percentile of a renewal's latency, by the rate of renewals. */
export function latencyByRate(assumed: Assumptions): string {
  const rates = [250, 500, 1000, 2000, 3000, 4500, 6500, 8500, 10_500, 13_000, 14_500, 16_000, 18_000];
  return linePlot({
    title: `99th percentile of renewals, with ${REPLICAS} replicas`,
    x: { title: 'renewals/s', from: 0, to: 18_000, ticks: [0, 3000, 6000, 9000, 12_000, 15_000, 18_000] },
    y: LATENCY,
    marks: [
      { x: 6500, label: '65,000 nodes' },
      { x: 13_000, label: '130,000 nodes' },
    ],
    series: COMMITS.map(({ ms, name }) => ({
      name,
      points: rates.map((rate) => [rate, p99(assumed, rate, REPLICAS, ms)] as const),
    })).filter((_, at) => at < 4),
  });
}

/** The same by the number of replicas: they share the processors, and contend for the counter. */
export function latencyByReplicas(assumed: Assumptions): string {
  const counts = [1, 2, 3, 4, 6, 8, 12, 16];
  return linePlot({
    title: '99th percentile of renewals, for 65,000 nodes',
    x: { title: 'replicas', from: 1, to: 16, ticks: counts },
    y: LATENCY,
    series: COMMITS.map(({ ms, name }) => ({
      name,
      points: counts.map((replicas) => [replicas, p99(assumed, RATE, replicas, ms)] as const),
    })).filter((_, at) => at < 4),
  });
}

function p99(assumed: Assumptions, rate: number, replicas: number, commit: number): number {
  return simulate({ rate, replicas, commit, watchers: 2 }, assumed, SIMULATED_MS).p99;
}
