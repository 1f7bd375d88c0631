import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { assertDurable } from './durability.js';
import { LeaseClient } from './lease-client.js';
import { listLoad } from './list-load.js';
import type { LoadResult } from './renew-load.js';
import { renewLoad } from './renew-load.js';
import type { ServerUnderTest } from './server-under-test.js';
import { startServerUnderTest } from './server-under-test.js';
import { watchLoad } from './watch-load.js';

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    token: { type: 'string', default: '' },
    'database-url': { type: 'string' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});

const seconds = Number(values.seconds);

const scenarios: Record<string, (client: LeaseClient) => Promise<LoadResult>> = {
  'renew, 64 clients': (client) => renewLoad(client, 64, seconds),
  'renew, 1 client': (client) => renewLoad(client, 1, seconds),
  'watch, 100 watchers, 100 renewals/s': (client) => watchLoad(client, 100, 100, seconds),
  'list of 5,000, 4 clients': (client) => listLoad(client, 5000, 4, 0, seconds),
  'list of 5,000 in pages of 500, 4 clients': (client) => listLoad(client, 5000, 4, 500, seconds),
};

/** What is measured: a server of the bench's own, or the one that `--target` names. */
async function measuredServer(): Promise<ServerUnderTest> {
  if (values.target === undefined) return startServerUnderTest([]);
  return { url: values.target, token: values.token, databaseUrl: values['database-url'], stop: () => Promise.resolve() };
}

/** Runs the loads one after the other and prints a line each. */
async function main(): Promise<void> {
  const server = await measuredServer();
  console.log(`${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}; the load runs on the same cores`);
  try {
    if (server.databaseUrl !== undefined) await assertDurable(server.databaseUrl);
    const wanted = Object.entries(scenarios).filter(([name]) => name.includes(values.only));
    for (const [name, run] of wanted) await measure(name, run, server);
  } finally {
    await server.stop();
  }
}

async function measure(name: string, run: (client: LeaseClient) => Promise<LoadResult>, server: ServerUnderTest): Promise<void> {
  const namespace = `bench-${name.replaceAll(/[^a-z0-9]+/g, '-')}`;
  const client = new LeaseClient(server.url, server.token, namespace, 16);
  try {
    await client.send('POST', '/api/v1/namespaces', JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
    const result = await run(client);
    const text = Object.entries(result).map(([figure, value]) => `${value} ${figure}`);
    console.log(values.json ? JSON.stringify({ name, ...result }) : `${name}: ${text.join(', ')}`);
  } finally {
    client.close();
  }
}

await main();
