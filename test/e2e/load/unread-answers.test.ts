import { ask } from '../../support/http-client.js';
import { scrape } from '../../support/scrape.js';
import type { TestServer, TestServerOptions } from '../../support/test-server.js';
import { startTestServer } from '../../support/test-server.js';
import { FrameType, WithholdingClient } from '../../support/withholding-client.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const NODE_LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const STREAMS = 100;

let server: TestServer;
let clients: WithholdingClient[] = [];
afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await server.close();
});

const TOKENS = [
  'carol-token,carol,carol',
  'node-a-token,system:node:a,node-a,system:nodes',
  'node-b-token,system:node:b,node-b,system:nodes',
  'node-c-token,system:node:c,node-c,system:nodes',
];

/** A server on which alice and bob may do nothing, and everybody else everything. */
async function start(options: TestServerOptions = {}): Promise<void> {
  const authorizer = { authorize: ({ name }: { name: string }) => ({ allowed: name !== 'alice' && name !== 'bob' }) };
  server = await startTestServer({ tokens: TOKENS, authorizer, anonymous: false, ...options });
}

/** Opens connections that ask for as much as they may, and resolves when all answers have begun. */
async function withhold(token: string, path: string, connections: number): Promise<void> {
  const opened = await Promise.all(Array.from({ length: connections }, () => WithholdingClient.to(server.port)));
  clients.push(...opened);
  for (const client of opened) client.get(path, token, STREAMS);
  await Promise.all(opened.map((client) => client.frames(FrameType.HEADERS, STREAMS)));
}

/** Creates a lease and renews it; answers the codes. */
async function holdLease(token: string, leases: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}` };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'held' }, spec: { holderIdentity: 'a' } };
  const created = await ask(server.url + leases, { method: 'POST', headers, body: lease });
  const renewed = await ask(`${server.url}${leases}/held`, { method: 'PUT', headers, body: created.json });
  const read = await ask(`${server.url}${leases}/held`, { headers });
  return [created.status, renewed.status, read.status];
}

async function seatsInUse(): Promise<number> {
  const lines = await scrape(server.url, 'apiserver_flowcontrol_current_executing_seats');
  return lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
}

describe('while answers that nobody reads wait', () => {
  test('those of users without rights take no seats, and others renew their leases', async () => {
    await start();
    await withhold('alice-token', `${LEASES}/held`, 4);
    await withhold('bob-token', `${LEASES}/held`, 4);
    expect(await holdLease('carol-token', LEASES)).toEqual([201, 200, 200]);
    expect(await seatsInUse()).toBe(0);
  });

  test('those of nodes leave the seats of nodes to other nodes', async () => {
    await start();
    await withhold('node-a-token', NODE_LEASES, 4);
    await withhold('node-b-token', NODE_LEASES, 4);
    expect(await holdLease('node-c-token', NODE_LEASES)).toEqual([201, 200, 200]);
    expect(await seatsInUse()).toBe(0);
  });

  test('those without credentials cost nobody anything', async () => {
    await start();
    await withhold('', LEASES, 8);
    expect(await holdLease('carol-token', LEASES)).toEqual([201, 200, 200]);
  });

  test('without priority and fairness the two limits of requests are free as well', async () => {
    await start({ limits: { priorityAndFairness: false, readOnly: 20, mutating: 20 } });
    await withhold('node-a-token', LEASES, 1);
    expect(await holdLease('carol-token', LEASES)).toEqual([201, 200, 200]);
  });
});
