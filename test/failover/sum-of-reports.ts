import { quantile } from '../support/quantile.js';
import type { Report } from './report.js';

/** Several runs as one. */
export function sumOfReports(reports: readonly Report[]): Report {
  const counts: Record<string, number> = {};
  for (const report of reports) {
    for (const [name, count] of Object.entries(report.counts)) counts[name] = (counts[name] ?? 0) + count;
  }
  return {
    rounds: reports.reduce((sum, { rounds }) => sum + rounds, 0),
    failovers: reports.reduce((sum, { failovers }) => sum + failovers, 0),
    counts,
    overlapsMs: reports.flatMap(({ overlapsMs }) => overlapsMs),
    outagesMs: reports.flatMap(({ outagesMs }) => outagesMs),
    databaseOutagesMs: reports.flatMap(({ databaseOutagesMs }) => databaseOutagesMs),
    violations: reports.flatMap(({ violations }) => violations),
  };
}

/** Everything that a report counts and measures. */
export function figuresOf({ counts, overlapsMs, outagesMs, databaseOutagesMs }: Report): Record<string, number> {
  return {
    ...counts,
    overlaps: overlapsMs.length,
    longestOverlapMs: Math.max(0, ...overlapsMs),
    outageP50Ms: Math.round(quantile(outagesMs, 0.5)),
    outageP99Ms: Math.round(quantile(outagesMs, 0.99)),
    databaseOutageP50Ms: Math.round(quantile(databaseOutagesMs, 0.5)),
    databaseOutageP99Ms: Math.round(quantile(databaseOutagesMs, 0.99)),
  };
}
