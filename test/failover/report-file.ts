import { appendFileSync, readFileSync } from 'node:fs';
import type { Report } from './report.js';

/** A run as it is kept: what was run, and what it showed. */
export interface KeptReport {
  readonly manager: string;
  readonly synchronous: boolean;
  readonly seed: number;
  readonly report: Report;
}

/** Adds a run to a file of one line of JSON each, and answers all runs in it with the same manager and the same replication. */
export function keepReport(file: string, kept: KeptReport): Report[] {
  appendFileSync(file, `${JSON.stringify(kept)}\n`);
  return readReports(file)
    .filter(({ manager, synchronous }) => manager === kept.manager && synchronous === kept.synchronous)
    .map(({ report }) => report);
}

function readReports(file: string): KeptReport[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as KeptReport);
}
