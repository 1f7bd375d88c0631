import { parseArgs } from 'node:util';
import { startServerProcess } from '../support/server-process.js';
import { ServerUsage } from '../support/server-usage.js';
import { startSharedPostgres } from '../support/shared-postgres.js';
import { startFlood } from '../load/flood-process.js';
import { LeaseHolders } from '../load/lease-holders.js';
import { LeaseSession, makeLeases } from '../load/lease-session.js';

/** `npm run program flood`: renews 500 leases every 2 s, first alone, then while another user floods the server; prints figures. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    leases: { type: 'string', default: '500' },
    objects: { type: 'string', default: '5000' },
    floods: { type: 'string', default: '1' },
    connections: { type: 'string', default: '20' },
    streams: { type: 'string', default: '50' },
    flags: { type: 'string', default: '' },
  },
});

function figures(took: readonly number[]): string {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return `${took.length} renewals, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

async function main(): Promise<void> {
  await using _shared = await startSharedPostgres();
  const tokens = ['holder-token,holder,holder', 'flood-token,flooder,flooder'];
  const server = await startServerProcess({ tokens, flags: values.flags.split(' ').filter((flag) => flag !== '') });
  const { url } = server;
  const usage = new ServerUsage(server.pid);
  const mib = () => Math.round(usage.residentMiB());
  const durationMs = Number(values.seconds) * 1000;
  const holders = new LeaseHolders({
    url,
    token: 'holder-token',
    namespace: 'held',
    leases: Number(values.leases),
    periodMs: 2000,
    connections: 10,
  });
  await holders.acquire();
  const preparing = new LeaseSession(url, 'flood-token');
  await makeLeases(preparing, 'flooded', Number(values.objects));
  preparing.close();
  console.log(`alone: ${figures((await holders.renew(durationMs / 3)).took)}, ${mib()} MiB`);
  const options = {
    url,
    token: 'flood-token',
    namespace: 'flooded',
    connections: Number(values.connections),
    streams: Number(values.streams),
  };
  const floods = await Promise.all(Array.from({ length: Number(values.floods) }, () => startFlood(options)));
  const before = usage.cpuSeconds();
  const { took, refused } = await holders.renew(durationMs);
  const used = (usage.cpuSeconds() - before) / Number(values.seconds);
  console.log(`flooded: ${figures(took)}, ${refused.length} refused, ${Math.round(used * 100)} % CPU, ${mib()} MiB`);
  for (const text of new Set(refused.map((each) => each.slice(0, 200)))) console.log(`refused: ${text}`);
  for (const flood of floods) console.log('answers to the flood:', JSON.stringify(await flood.stop()));
  await new Promise((resolve) => setTimeout(resolve, 5000));
  console.log(`afterwards: ${figures((await holders.renew(durationMs / 3)).took)}, ${mib()} MiB`);
  holders.close();
  const stopping = performance.now();
  await server.stop();
  console.log(`stopped in ${Math.round(performance.now() - stopping)} ms with ${server.exitCode()}`);
}

await main();
