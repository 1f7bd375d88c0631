import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.js';
import type { RaceReport } from '../clients/race/race-report.js';
import { runRace } from '../clients/race/run-race.js';
import { FullDisk } from '../clients/race/full-disk.js';
import { crashPostgres } from '../clients/race/crash-postgres.js';
import { PrimaryWithStandby } from '../support/primary-with-standby.js';

const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;

/**
 * `npm run torture:locks`: processes that compete for leases over HTTP and SQL while they are disturbed and PostgreSQL crashes, and writes under stale
 * tokens. In place of the crashes, a synchronous standby takes the place of PostgreSQL (`--failover`), or its disk is full for twenty seconds
 * (`--full-disk`, which needs Linux and the right to mount), once, in the middle.
 */
const { values } = parseArgs({
  options: {
    seconds: number(600),
    leases: number(10),
    sql: number(40),
    go: number(20),
    fabric8: number(10),
    typescript: number(10),
    typescriptterm: number(15),
    curl: number(20),
    shell: number(10),
    shellterm: number(10),
    shelldb: number(10),
    cron: number(10),
    writers: number(16),
    'crash-every': number(60),
    failover: { type: 'boolean', default: false },
    'full-disk': { type: 'boolean', default: false },
  },
});

/** How long nobody notices that the primary is gone. */
const UNNOTICED_MS = 5000;
/** For the candidates that connect without PgBouncer. */
const MANY_CONNECTIONS = { max_connections: '300' };

function print(report: RaceReport): void {
  const { processes, disturbances, versions, recorded, terms, overstays, writes, byRecipe, accepted, failures } = report;
  const told = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  console.log(`\n${processes} processes for ${report.seconds} s: ${told(disturbances)}; of leaders ${told(report.ofLeaders)}`);
  console.log(`${versions} versions of leases, ${recorded} recorded terms: ${told(terms)}`);
  console.log(`terms handed over: ${told(report.handOvers)}`);
  console.log(`milliseconds for which holders went on after a loss, awake: at most ${told(overstays)}`);
  for (const [error, count] of Object.entries(report.errors)) console.log(`  ${count} times ${error}`);
  const attempted = writes.committed + writes.stale + writes.unknown;
  console.log(
    `writes: ${attempted} attempted, ${told({ ...writes })}; ${accepted} rows; by the recipe ${byRecipe.accepted}, ${byRecipe.refused} stale ones refused`,
  );
  console.log(failures.length === 0 ? 'passed' : `failed:\n${failures.map((failure) => `  ${failure}`).join('\n')}`);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
await using _shared = await startSharedPostgres();
const seconds = Number(values.seconds);
const middle = Math.ceil(seconds / 2);
await using fullDisk = values['full-disk'] ? await FullDisk.start(middle) : undefined;
await using standby = values.failover ? await PrimaryWithStandby.start(MANY_CONNECTIONS) : undefined;
const failover = standby && {
  databaseUrl: standby.url,
  isDue: (second: number) => second === middle,
  happen: () => standby.failOver(UNNOTICED_MS),
};
const crashes = { isDue: (second: number) => second % Number(values['crash-every']) === 0, happen: crashPostgres };
const report = await runRace({
  leases: Number(values.leases),
  processes: {
    sql: Number(values.sql),
    go: Number(values.go),
    fabric8: Number(values.fabric8),
    typescript: Number(values.typescript),
    typescriptterm: Number(values.typescriptterm),
    curl: Number(values.curl),
    shell: Number(values.shell),
    shellterm: Number(values.shellterm),
    shelldb: Number(values.shelldb),
    cron: Number(values.cron),
  },
  seconds,
  writers: Number(values.writers),
  outages: fullDisk ?? failover ?? crashes,
  signal: interrupted.signal,
  onSecond: (second, writes) => {
    if (second % 10 !== 0) return;
    const { committed, stale, unknown } = writes();
    console.log(`${second} s: ${committed} writes committed, ${stale} stale ones refused, ${unknown} unknown`);
  },
});
print(report);
process.exitCode = report.failures.length === 0 ? 0 : 1;
