import { parseArgs } from 'node:util';
import { NODE_FLAGS } from '../../bench/contenders/node-flags.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { ServerUsage } from '../support/server-usage.js';
import { startSharedPostgres } from '../support/shared-postgres.js';
import { createTestDatabase } from '../support/test-database.js';
import { LeaseSession, leasesPath, leaseText, makeLeases, versionOf } from '../load/lease-session.js';

/** `npm run program catch-up`: suspends a replica, makes changes through another one, and prints what the suspended one needs to catch up. */
const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '200000' },
    leases: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
  },
});

const TOKEN = 'admin-token';
const NAMESPACE = 'changed';
/** Milliseconds between two probes, each of which asks the replica for /livez. */
const PROBE_EVERY_MS = 5;

/** Updates the leases in turn until `changes` are made; returns the name and the resourceVersion of the last one. */
async function change(client: LeaseSession, versions: string[], changes: number): Promise<{ name: string; version: string }> {
  let last = { name: '', version: '0' };
  let next = 0;
  const worker = async (first: number, step: number) => {
    for (let index = first; next < changes; index = index + step < versions.length ? index + step : first) {
      next += 1;
      const name = `lease-${index}`;
      const { status, text } = await client.send('PUT', `${leasesPath(NAMESPACE)}/${name}`, leaseText(name, versions[index]));
      if (status !== 200) throw new Error(`cannot update a lease: ${status} ${text}`);
      const version = versionOf(text);
      versions[index] = version;
      if (Number(version) > Number(last.version)) last = { name, version };
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, first) => worker(first, 64)));
  return last;
}

/** The longest that a probe takes until `end` is called, which rejects if a probe failed. */
function probe(client: LeaseSession): { end(): Promise<number> } {
  let longest = 0;
  const failures: unknown[] = [];
  const pending = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const sent = performance.now();
    const answered = client
      .send('GET', '/livez')
      .then(({ status, text }) => {
        if (status !== 200) throw new Error(`/livez: ${status} ${text}`);
        longest = Math.max(longest, performance.now() - sent);
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => pending.delete(answered));
    pending.add(answered);
  }, PROBE_EVERY_MS);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(pending);
      if (failures.length > 0) throw failures[0];
      return longest;
    },
  };
}

async function round(
  number: number,
  suspended: ServerProcess,
  versions: string[],
  [writes, reads]: readonly LeaseSession[],
): Promise<void> {
  if (!writes || !reads) throw new Error('no connections');
  const usage = new ServerUsage(suspended.pid);
  const quiet = probe(reads);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const before = { stall: await quiet.end(), mib: usage.residentMiB() };
  suspended.signal('SIGSTOP');
  const started = performance.now();
  const last = await change(writes, versions, Number(values.changes));
  const seconds = (performance.now() - started) / 1000;
  const probes = probe(reads);
  suspended.signal('SIGCONT');
  const resumed = performance.now();
  const { status, text } = await reads.send('GET', `${leasesPath(NAMESPACE)}/${last.name}`);
  const caughtUpMs = performance.now() - resumed;
  if (status !== 200 || versionOf(text) !== last.version) {
    throw new Error(`a consistent read is ${status} ${text}, expected ${last.version}`);
  }
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const stall = await probes.end();
  console.log(
    `round ${number}: ${values.changes} changes in ${seconds.toFixed(0)} s; first consistent read after ${caughtUpMs.toFixed(0)} ms, ` +
      `longest probe ${stall.toFixed(0)} ms (${before.stall.toFixed(0)} before), ` +
      `RSS ${before.mib.toFixed(0)} -> ${usage.residentMiB().toFixed(0)} MiB, peak ${usage.peakMiB().toFixed(0)} MiB`,
  );
}

async function main(): Promise<void> {
  await using _shared = await startSharedPostgres();
  await using database = await createTestDatabase();
  const start = () => startServerProcess({ databaseUrl: database.url, nodeFlags: NODE_FLAGS });
  await using writing = await start();
  await using suspended = await start();
  using writes = new LeaseSession(writing.url, TOKEN);
  using other = new LeaseSession(suspended.url, TOKEN);
  const versions = await makeLeases(writes, NAMESPACE, Number(values.leases));
  for (let number = 1; number <= Number(values.rounds); number++) await round(number, suspended, versions, [writes, other]);
}

await main();
