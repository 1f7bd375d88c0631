import type { Assumptions } from './assumptions.js';
import type { BatchCost } from './measure-batches.js';

/** The straight line with the smallest relative distance to some points, so that small batches count as much as large ones. */
export function lineThrough(points: readonly (readonly [x: number, y: number])[]): { start: number; slope: number } {
  const sum = (of: (x: number, y: number) => number) => points.reduce((all, [x, y]) => all + of(x, y) / (y * y), 0);
  const [n, sx, sy] = [sum(() => 1), sum((x) => x), sum((_, y) => y)];
  const [sxx, sxy] = [sum((x) => x * x), sum((x, y) => x * y)];
  const slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return { start: (sy - slope * sx) / n, slope };
}

/** The assumptions, with measured values in place of assumed ones. The round trip on one machine is part of a measured statement. */
export function calibrated(assumed: Assumptions, costs: readonly BatchCost[]): Assumptions {
  const statement = lineThrough(costs.map(({ items, statement }) => [items, statement]));
  const read = lineThrough(costs.map(({ items, read }) => [items, read]));
  const wal = lineThrough(costs.map(({ items, walBytes }) => [items, walBytes]));
  return {
    ...assumed,
    batch: rounded(statement.start),
    item: rounded(statement.slope),
    readBatch: rounded(read.start),
    readItem: rounded(read.slope),
    walBatchBytes: Math.round(wal.start),
    walItemBytes: Math.round(wal.slope),
  };
}

function rounded(ms: number): number {
  return Math.max(0, Math.round(ms * 10_000) / 10_000);
}
