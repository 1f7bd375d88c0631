import type { Report } from './report.js';
import { figuresOf } from './sum-of-reports.js';

const SHOWN_OF_A_KIND = 10;

/** Prints the report as text. */
export function printReport(title: string, report: Report): void {
  const { rounds, failovers, violations } = report;
  console.log(`\n${title}: ${rounds} rounds, ${failovers} failovers`);
  for (const [name, value] of Object.entries(figuresOf(report))) console.log(`  ${name}: ${value}`);
  for (const [kind, some] of Map.groupBy(violations, (violation) => violation.kind)) {
    console.log(`${kind}: ${some.length}`);
    for (const { at, place, text } of some.slice(0, SHOWN_OF_A_KIND)) console.log(`  at ${(at / 1000).toFixed(1)} s, ${place}: ${text}`);
    if (some.length > SHOWN_OF_A_KIND) console.log(`  and ${some.length - SHOWN_OF_A_KIND} more`);
  }
  console.log(violations.length === 0 ? 'passed' : `failed: ${violations.length} violations`);
}
