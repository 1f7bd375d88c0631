import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../../../../test/support/shared-postgres.js';
import type { Change } from '../torture/contest.js';
import type { Kind } from '../torture/contestant.js';
import { runTorture } from '../torture/run-torture.js';
import type { TortureReport } from '../torture/torture-report.js';

/** `npm run program torture-elections`: kills, pauses and cuts off leaders in Go and TypeScript, and checks that nobody else leads meanwhile. */
const { values } = parseArgs({ options: { changes: { type: 'string', default: '200' } } });
const changes = Number(values.changes);

await using _shared = await startSharedPostgres();
const report = await runTorture(changes, ({ change, from, to, vacancy, steppedDownAfter }, at) => {
  const stepDown = steppedDownAfter === undefined ? '' : `, stepped down after ${steppedDownAfter.toFixed(0)} ms`;
  console.log(`${at + 1}/${changes} ${from} ${change}${stepDown}; ${to} took over after ${vacancy.toFixed(0)} ms`);
});
print(report);
process.exitCode = report.failures.length === 0 ? 0 : 1;

function print({ results, acquisitions, violations, shortestVacancy, tokens, wrongTokens, writes, failures }: TortureReport): void {
  console.log(`\n${results.length} changes, ${acquisitions} acquiring writes, ${violations.length} violations of the revision order`);
  violations.forEach((violation) => console.log(`  ${violation}`));
  console.log(
    `shortest time from a renewal to the next acquisition: client-go ${shortestVacancy.go} ms, TypeScript ${shortestVacancy.typescript} ms`,
  );
  for (const from of ['go', 'typescript'] as Kind[]) {
    for (const change of ['killed', 'paused', 'cut off'] as Change[]) {
      const some = results.filter((result) => result.change === change && result.from === from);
      const longest = Math.max(0, ...some.map(({ steppedDownAfter = 0 }) => steppedDownAfter));
      const late = some.filter(({ beforeTheNext }) => beforeTheNext === false).length;
      const stepDown = change === 'killed' ? '' : `, stepped down after at most ${longest.toFixed(0)} ms`;
      console.log(`  ${from} ${change}: ${some.length}${stepDown}${change === 'cut off' ? `, ${late} later than the next acquired` : ''}`);
    }
  }
  console.log(`${tokens} fencing tokens, ${wrongTokens.length} wrong${wrongTokens.map((line) => `\n  ${line}`).join('')}`);
  const attempted = writes.accepted + writes.refused;
  console.log(
    `writes: ${attempted} attempted, ${writes.accepted} accepted, ${writes.refused} stale ones refused, ${writes.staleAccepted} stale ones accepted`,
  );
  console.log(failures.length === 0 ? 'passed' : `failed:\n${failures.map((failure) => `  ${failure}`).join('\n')}`);
}
