import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.js';
import { type Framework, FRAMEWORKS } from '../clients/race/kinds.js';
import { runRace } from '../clients/race/run-race.js';

const number = (fallback: number) => ({ type: 'string', default: String(fallback) }) as const;

/**
 * `npm run program frameworks`: the examples for frameworks under kills, pauses longer than their lease and cut connections, each for a minute, and
 * what became of their writes; names of frameworks as arguments run only those.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: number(60),
    instances: number(4),
  },
});

const unknown = positionals.filter((name) => !(FRAMEWORKS as readonly string[]).includes(name));
if (unknown.length > 0) throw new Error(`no framework is called ${unknown.join(', ')}: ${FRAMEWORKS.join(', ')}`);
const chosen = positionals.length > 0 ? (positionals as Framework[]) : FRAMEWORKS;

const HEAD = ['', 'runs', 'kills', 'pauses', 'cuts', 'terms', 'overlaps', 'written', 'refused', 'probes refused', 'stale ones committed'];
console.log(`${HEAD.join(' | ')}\n${HEAD.map(() => '---').join(' | ')}`);
await using _shared = await startSharedPostgres();
for (const framework of chosen) {
  const report = await runRace({
    leases: 1,
    processes: { [framework]: Number(values.instances) },
    seconds: Number(values.seconds),
    writers: 2,
    pace: { every: { least: 2000, most: 4500 }, stopped: { least: 6000, most: 10_000 } },
  });
  const { disturbances, byHolders } = report;
  const runs = byHolders.committed + byHolders.stale;
  const { killed, paused, 'cut off': cut } = disturbances;
  const cells = [
    framework,
    runs,
    killed,
    paused,
    cut,
    report.recorded,
    report.overlaps,
    byHolders.committed,
    byHolders.stale,
    report.writes.stale - byHolders.stale,
    report.stale,
  ];
  console.log(cells.join(' | '));
  for (const failure of report.failures) console.log(`  failed: ${failure}`);
  if (report.failures.length > 0) process.exitCode = 1;
}
