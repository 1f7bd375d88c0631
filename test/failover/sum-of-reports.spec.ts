import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { keepReport } from './report-file.js';
import type { Report } from './report.js';
import { figuresOf, sumOfReports } from './sum-of-reports.js';

function report(lostWrites: number, outagesMs: readonly number[], overlapsMs: readonly number[] = []): Report {
  const violations = [{ kind: 'watch', at: 1, text: 'gap', place: 'round 1' }];
  return {
    rounds: 3,
    failovers: outagesMs.length,
    counts: { lostWrites },
    overlapsMs,
    outagesMs,
    databaseOutagesMs: outagesMs,
    violations,
  };
}

test('percentiles of several runs are computed from all their failovers, not from their percentiles', () => {
  const sum = sumOfReports([report(2, [10, 20, 30], [5]), report(3, [40, 1_000], [7])]);
  expect(sum).toMatchObject({ rounds: 6, failovers: 5, overlapsMs: [5, 7] });
  expect(sum.violations).toHaveLength(2);
  expect(figuresOf(sum)).toMatchObject({ lostWrites: 5, overlaps: 2, longestOverlapMs: 7, outageP50Ms: 30, outageP99Ms: 1_000 });
});

test('runs kept in a file are added up by manager and replication', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'coordination-test-'));
  const file = path.join(dir, 'runs.jsonl');
  try {
    const keep = (manager: string, synchronous: boolean, seed: number) =>
      keepReport(file, { manager, synchronous, seed, report: report(seed, [1]) }).map(({ counts }) => counts.lostWrites);
    expect(keep('patroni', true, 1)).toEqual([1]);
    expect(keep('patroni', false, 2)).toEqual([2]);
    expect(keep('pg_auto_failover', true, 3)).toEqual([3]);
    expect(keep('patroni', true, 4)).toEqual([1, 4]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
