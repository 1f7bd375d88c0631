import { appendFileSync, readFileSync } from 'node:fs';
import type { Report } from './report.js';

/** A stored run: its configuration and its results. */
export interface KeptReport {
  readonly manager: string;
  readonly synchronous: boolean;
  readonly seed: number;
  readonly report: Report;
}

/** Appends a run to a file with one line of JSON each; returns all runs in it with the same manager and replication. */
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
