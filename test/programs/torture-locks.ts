import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.js';
import type { RaceReport } from '../clients/race/race-report.js';
import { runRace } from '../clients/race/run-race.js';

const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;

/**
 * `npm run torture:locks`: processes that compete for leases over HTTP and SQL while they are disturbed and PostgreSQL crashes, and writes under stale
 * tokens. `--failover`: instead of the crashes a synchronous standby takes the place of PostgreSQL once.
 */
const { values } = parseArgs({
  options: {
    seconds: number(600),
    leases: number(10),
    sql: number(40),
    go: number(20),
    fabric8: number(10),
    typescript: number(10),
    curl: number(20),
    shell: number(10),
    shelldb: number(10),
    writers: number(16),
    'crash-every': number(60),
    /** Instead of the crashes one in the middle, after which a synchronous standby takes the place of the primary. */
    failover: { type: 'boolean', default: false },
  },
});

const seconds = Number(values.seconds);

function print(report: RaceReport): void {
  const { processes, disturbances, versions, recorded, terms, overstays, writes, byRecipe, accepted, failures } = report;
  const told = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  console.log(`\n${processes} processes for ${report.seconds} s: ${told(disturbances)}; of leaders ${told(report.ofLeaders)}`);
  console.log(`${versions} versions of leases, ${recorded} recorded terms: ${told(terms)}`);
  console.log(`milliseconds for which holders went on after a loss, awake: at most ${told(overstays)}`);
  const attempted = writes.committed + writes.stale + writes.unknown;
  console.log(
    `writes: ${attempted} attempted, ${told({ ...writes })}; ${accepted} rows; by the recipe ${byRecipe.accepted}, ${byRecipe.refused} stale ones refused`,
  );
  console.log(failures.length === 0 ? 'passed' : `failed:\n${failures.map((failure) => `  ${failure}`).join('\n')}`);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
await using _shared = await startSharedPostgres();
const report = await runRace({
  leases: Number(values.leases),
  processes: {
    sql: Number(values.sql),
    go: Number(values.go),
    fabric8: Number(values.fabric8),
    typescript: Number(values.typescript),
    curl: Number(values.curl),
    shell: Number(values.shell),
    shelldb: Number(values.shelldb),
  },
  seconds,
  writers: Number(values.writers),
  ...(values.failover ? { failOverAt: Math.ceil(seconds / 2) } : { crashEvery: Number(values['crash-every']) }),
  signal: interrupted.signal,
  onSecond: (second, writes) => {
    if (second % 10 !== 0) return;
    const { committed, stale, unknown } = writes();
    console.log(`${second} s: ${committed} writes committed, ${stale} stale ones refused, ${unknown} unknown`);
  },
});
print(report);
process.exitCode = report.failures.length === 0 ? 0 : 1;
