import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually } from '../support/eventually.js';
import { metricSum } from '../support/scrape.js';
import { startPostgres } from '../support/postgres-under-test.js';
import { startServerProcess } from '../support/server-process.js';
import { fillLeases } from '../load/fill-leases.js';
import { LeaseHolders } from '../load/lease-holders.js';
import { print } from '../load/print-figures.js';
import { connected } from '../support/connected.js';

/**
 * `npm run program abandoned-leases`: a server collects leases that expired long ago while others are renewed. Prints how long both took.
 */
const { values } = parseArgs({
  options: {
    abandoned: { type: 'string', default: '500000' },
    leases: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
  },
});
const abandoned = Number(values.abandoned);

async function main(): Promise<void> {
  using dir = mkdtempDisposableSync(path.join(tmpdir(), 'abandoned-leases-'));
  await using postgres = await startPostgres({ dir: dir.path });
  const options = {
    databaseUrl: postgres.url(),
    tokens: ['admin-token,admin,admin,"system:masters"'],
  };
  await (await startServerProcess(options)).stop();
  await using client = await connected({ connectionString: postgres.url(), options: '-c search_path=coordination_tables,coordination' });
  await fillLeases(client, { name: 'abandoned', count: abandoned, seconds: 15, expiresMs: Date.now() - 86_400_000 });
  await client.query('vacuum analyze');
  const flags = ['--abandoned-lease-ttl=1h', '--max-bytes=0', '--controllers=*,-abandoned-lease-controller'];
  // without the controller first, to compare
  let server = await startServerProcess({ ...options, flags });
  const holdersOf = (url: string) =>
    new LeaseHolders({ url, token: 'admin-token', namespace: 'held', leases: Number(values.leases), periodMs: 2_000, connections: 10 });
  let holders = holdersOf(server.url);
  try {
    await holders.acquire();
    await holders.renew(5_000); // warms up
    print('without collection', (await holders.renew(20_000)).took, 'renewals');
    holders.close();
    await client.query(`delete from objects where resource = 'leases.coordination.k8s.io' and path like 'held/%'`);
    await server.stop();
    server = await startServerProcess({ ...options, flags: flags.slice(0, 2) });
    holders = holdersOf(server.url);
    await holders.acquire();
    const count = () => metricSum(server.url, 'coordination_abandoned_leases_total');
    const before = await eventually(async () => (await count()) > 0 && count(), undefined, 120_000);
    const began = performance.now();
    await holders.renew(5_000); // warms up, as above
    const renewing = holders.renew(Number(values.seconds) * 1_000);
    // A scrape holds up the server for some milliseconds, so there are few.
    while ((await count()) < abandoned) await sleep(1_000);
    const took = performance.now() - began;
    console.log(
      `${abandoned - before} leases deleted in ${(took / 1000).toFixed(1)} s, ${(((abandoned - before) / took) * 1000).toFixed(0)} a second`,
    );
    const { took: renewals, refused } = await renewing;
    print('beside collection', renewals, 'renewals');
    if (refused.length > 0) throw new Error(`${refused.length} renewals failed: ${refused[0]}`);
  } finally {
    holders.close();
    await server.stop();
  }
}

await main();
