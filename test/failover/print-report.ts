import { groupBy } from './group-by.js';
import { roundOf } from './report.js';
import type { Report, Round } from './report.js';

const SHOWN_OF_A_KIND = 10;

/** The report for people. */
export function printReport({ failovers, figures, lostWrites, violations }: Report, rounds: readonly Round[]): void {
  console.log(`\n${rounds.length} rounds, ${failovers} failovers`);
  for (const [name, value] of Object.entries(figures)) console.log(`  ${name}: ${value}`);
  console.log(`  acknowledged writes lost: ${lostWrites}`);
  for (const [kind, some] of groupBy(violations, (violation) => violation.kind)) {
    console.log(`${kind}: ${some.length}`);
    for (const { at, text } of some.slice(0, SHOWN_OF_A_KIND)) {
      console.log(`  at ${(at / 1000).toFixed(1)} s, ${roundOf(rounds, at)}: ${text}`);
    }
    if (some.length > SHOWN_OF_A_KIND) console.log(`  and ${some.length - SHOWN_OF_A_KIND} more`);
  }
  console.log(violations.length === 0 ? 'passed' : `failed: ${violations.length} violations`);
}
