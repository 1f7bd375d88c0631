import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startAnswering } from '../support/answering-server.js';
import { eventually } from '../support/eventually.js';
import { ask } from '../support/http-client.js';
import { kubeconfig } from '../support/kubeconfig.js';
import { startPostgres } from '../support/postgres-under-test.js';
import { metricSum } from '../support/scrape.js';
import { startServerProcess } from '../support/server-process.js';
import { WatchClient } from '../support/watch-client.js';
import { fillLeases } from '../load/fill-leases.js';
import { print } from '../load/print-figures.js';
import { connected } from '../support/connected.js';

/**
 * `npm run program lease-expiry`: two servers with many leases, of which some expire within one second. Prints how long after its end each was announced
 * to a watch of terms, by the clock that both share, and fails if one was not, or twice. In the second round the server that announces is killed.
 * `--lead`: seconds until the first ones expire, in which the servers have to start.
 */
const { values } = parseArgs({
  options: {
    leases: { type: 'string', default: '25000' },
    expiring: { type: 'string', default: '1000' },
    lead: { type: 'string', default: '60' },
  },
});
const [leases, expiring] = [Number(values.leases), Number(values.expiring)];
const leadMs = Number(values.lead) * 1_000;
/** A server that has just started calls nobody late whom it has not seen unchanged for so long. */
const SECONDS = 20;
const TERMS = '/apis/history.coordination-apiserver.dev/v1/leaseterms';

async function main(): Promise<void> {
  using dir = mkdtempDisposableSync(path.join(tmpdir(), 'lease-expiry-'));
  const calls = new Map<string, number>();
  await using webhook = await startAnswering((_, { headers }, response) => {
    const id = String(headers['webhook-id']);
    calls.set(id, (calls.get(id) ?? 0) + 1);
    response.end();
  });
  const config = path.join(dir.path, 'webhook.json');
  writeFileSync(config, kubeconfig({ server: webhook.url }));
  await using postgres = await startPostgres({ dir: dir.path });
  const options = { databaseUrl: postgres.url(), flags: [`--lease-expiry-webhook-config-file=${config}`] };
  await (await startServerProcess(options)).stop();
  await using client = await connected({ connectionString: postgres.url(), options: '-c search_path=coordination_tables,coordination' });
  const due = Date.now() + leadMs;
  await fillLeases(client, { name: 'quiet', count: leases - 2 * expiring, seconds: 3_600, expiresMs: due + 3_600_000 });
  await fillLeases(client, { name: 'first', count: expiring, seconds: SECONDS, expiresMs: due, withinMs: 1_000 });
  await fillLeases(client, { name: 'second', count: expiring, seconds: SECONDS, expiresMs: due + 20_000, withinMs: 1_000 });
  const servers = [await startServerProcess(options), await startServerProcess(options)] as const;
  try {
    // a watch that began with the present terms would look at all of them
    const { json } = await ask(`${servers[0].url}${TERMS}?limit=1`);
    const from = `watch=true&fieldSelector=status.lapsed%3Dtrue&resourceVersion=${json.metadata?.resourceVersion}`;
    const watches = servers.map(({ url }) => new WatchClient(`${url}${TERMS}?${from}`));
    const seen = watches.map(observe);
    if (Date.now() > due) throw new Error('the servers took too long to start');
    console.log(`${leases} leases; ${expiring} of them expire within a second, twice`);
    await sleep(due + 20_000 - 5_000 - Date.now());
    for (const each of seen) report('two servers', 'first', each);
    const announcing = (await expired(servers[0].url)) > (await expired(servers[1].url)) ? 0 : 1;
    const survivor = seen[1 - announcing] as Lapse[];
    await sleep(due + 20_000 + 300 - Date.now());
    await servers[announcing].kill();
    await eventually(() => of('second', survivor).length >= expiring);
    await eventually(() => calls.size >= 2 * expiring);
    report('the one that announces is killed', 'second', survivor);
    console.log(`webhook: ${calls.size} ids, ${[...calls.values()].filter((count) => count > 1).length} of them more than once`);
    for (const watch of watches) watch.abort();
  } finally {
    for (const server of servers) await server.kill();
  }
}

const expired = (url: string) => metricSum(url, 'coordination_leases_expired_total');

interface Lapse {
  readonly lease: string;
  readonly late: number;
}

function observe(watch: WatchClient): Lapse[] {
  const seen: Lapse[] = [];
  let told = 0;
  setInterval(() => {
    const now = Date.now();
    for (const { object } of watch.events.slice(told)) {
      const { spec, status } = object as unknown as { spec: { leaseName: string }; status: { lapsedAt: string } };
      seen.push({ lease: spec.leaseName, late: now - Date.parse(status.lapsedAt) });
    }
    told = watch.events.length;
  }, 5).unref();
  return seen;
}

const of = (name: string, seen: readonly Lapse[]) => seen.filter(({ lease }) => lease.startsWith(name));

function report(what: string, name: string, seen: readonly Lapse[]): void {
  const found = of(name, seen);
  print(
    what,
    found.map(({ late }) => late),
    'lapses',
  );
  const once = new Set(found.map(({ lease }) => lease));
  if (found.length !== expiring || once.size !== expiring) {
    throw new Error(`${found.length} lapses of ${once.size} leases, not ${expiring}`);
  }
}

await main();
