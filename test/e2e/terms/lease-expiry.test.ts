import { createHmac, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startAnswering } from '../../support/answering-server.js';
import { eventually } from '../../support/eventually.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { type Ask, ask as askUrl } from '../../support/http-client.js';
import { kubeconfig } from '../../support/kubeconfig.js';
import { metricSum, scrape } from '../../support/scrape.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { UPSTREAMS_GROUPS } from '../../support/upstreams-groups.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { WatchClient } from '../../support/watch-client.js';
import type { WireObject } from '../../support/wire-object.js';

/*
 * Two servers, a webhook that both call, and holders that stop renewing.
 */
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TERMS = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms';
const SECRET = randomBytes(32);

interface Term extends Omit<WireObject, 'spec'> {
  readonly spec: { readonly leaseName: string; readonly holder: string };
  readonly status: { readonly phase: string; readonly lapsed?: boolean; readonly lapses?: number; readonly lapsedAt?: string };
}
interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const dir = scratchDirectory();
const flags = [
  '--lease-expiry-events',
  `--lease-expiry-webhook-config-file=${dir}/webhook.json`,
  `--lease-expiry-webhook-secret-file=${dir}/secret`,
];
let servers: ServerProcess[];
let status = 200;
const calls: Call[] = [];

const ask = (url: string, options?: Ask, server = servers[0]) => askUrl(`${server?.url}${url}`, options);
const callsFor = (lease: string) => calls.filter(({ body }) => body.includes(`"leaseName":"${lease}"`));

async function hold(name: string, seconds: number, holderIdentity = 'a'): Promise<WireObject> {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const { json } = await ask(`${LEASES}/${name}`);
  const spec = { ...(json.spec as object), holderIdentity, leaseDurationSeconds: seconds, renewTime };
  const known = json.kind === 'Lease';
  const answer = await ask(known ? `${LEASES}/${name}` : LEASES, {
    method: known ? 'PUT' : 'POST',
    body: { metadata: known ? json.metadata : { name }, spec },
  });
  expect(answer.status).toBe(known ? 200 : 201);
  return answer.json;
}

async function terms(lease: string): Promise<Term[]> {
  return ((await ask(`${TERMS}?fieldSelector=spec.leaseName%3D${lease}`)).json.items ?? []) as unknown as Term[];
}

const webhook = forAllTests(() =>
  startAnswering((body, { headers }, response) => {
    calls.push({ headers, body });
    response.writeHead(status).end();
  }),
);
beforeAll(async () => {
  await writeFile(path.join(dir, 'webhook.json'), kubeconfig({ server: `${webhook.url}/expired` }));
  await writeFile(path.join(dir, 'secret'), `whsec_${SECRET.toString('base64')}\n`, { mode: 0o600 });
  const first = await startServerProcess({ flags });
  servers = [first, await startServerProcess({ flags, databaseUrl: first.databaseUrl })];
});
afterAllTests(async () => {
  for (const server of servers.reverse()) await server.stop();
});
beforeEach(() => {
  status = 200;
});

test('a holder that does not renew in time has lapsed, and everybody is told once', async () => {
  const lease = await hold('late', 1);
  const watch = new WatchClient(`${servers[1]?.url}${TERMS}?watch=true&fieldSelector=spec.leaseName%3Dlate`);
  await eventually(() => watch.events.some(({ object }) => (object as unknown as Term).status.lapsed));
  watch.abort();
  const [term] = await terms('late');
  expect(term).toMatchObject({ status: { phase: 'Held', lapsed: true, lapses: 1 } });
  const expiry = Date.parse((lease.spec as { renewTime: string }).renewTime) + 1_000;
  // not before its time, and at most as late as the second in which the server received the renewal ends
  expect(Date.parse(term?.status.lapsedAt ?? '') - expiry).toBeLessThan(1_000);
  expect(Date.parse(term?.status.lapsedAt ?? '') - expiry).toBeGreaterThan(-2);
  expect((await ask(`${LEASES}/late`)).json.metadata?.resourceVersion).toBe(lease.metadata?.resourceVersion);
  const [call] = await eventually(() => callsFor('late').length > 0 && callsFor('late'));
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = call!.headers;
  expect(signature).toBe(
    `v1,${createHmac('sha256', SECRET)
      .update(`${id as string}.${time as string}.${call!.body}`)
      .digest('base64')}`,
  );
  expect(id).toBe(`${term?.metadata?.uid}.1`);
  expect(JSON.parse(call!.body)).toMatchObject({ type: 'lease.expired', data: { kind: 'LeaseTerm', spec: { holder: 'a' } } });
  const events = await eventually(async () => {
    const { json } = await ask('/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dlate');
    return (json.items ?? []).length > 0 && json.items;
  });
  expect(events).toMatchObject([{ type: 'Warning', reason: 'LeaseExpired', count: 1, involvedObject: { kind: 'Lease', name: 'late' } }]);
  expect(callsFor('late')).toHaveLength(1);
});

test('a holder that renews late continues its term, and is counted when it is late again', async () => {
  await hold('wavering', 1);
  await eventually(async () => (await terms('wavering'))[0]?.status.lapsed);
  await hold('wavering', 3);
  await eventually(async () => (await terms('wavering'))[0]?.status.lapsed === undefined);
  expect(await eventually(async () => (await terms('wavering'))[0]?.status.lapses === 2 && terms('wavering'))).toHaveLength(1);
  await eventually(async () => {
    const { json } = await ask('/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dwavering');
    return json.items?.length === 1 && (json.items[0] as unknown as { count: number }).count === 2;
  });
  expect(callsFor('wavering')).toHaveLength(2);
});

test('a shorter duration, a deletion and a release are noticed before the first one is over', async () => {
  await hold('shortened', 3_600);
  await hold('shortened', 1);
  await eventually(async () => (await terms('shortened'))[0]?.status.lapsed);
  await hold('released', 2);
  await hold('released', 1, '');
  await hold('deleted', 2);
  await ask(`${LEASES}/deleted`, { method: 'DELETE' });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  for (const lease of ['released', 'deleted']) {
    expect((await terms(lease))[0]).toMatchObject({ status: { phase: 'Ended' } });
    expect((await terms(lease))[0]?.status.lapses).toBeUndefined();
  }
});

test('each of many leases is announced, and none twice, though a server is killed meanwhile', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `kill-${i}`);
  const first = servers[0] as ServerProcess;
  for (const [i, name] of names.entries()) await hold(name, 4 + (i % 3));
  status = 503;
  await eventually(() => calls.some(({ body }) => body.includes('"kill-')));
  // what this one has marked and not announced is left to the other
  await first.kill();
  status = 200;
  servers[0] = await startServerProcess({ flags, databaseUrl: first.databaseUrl });
  const marked = async () => {
    const { items = [] } = (await ask(`${TERMS}?fieldSelector=status.lapsed%3Dtrue`)).json;
    return (items as unknown as Term[]).filter(({ spec }) => spec.leaseName.startsWith('kill-'));
  };
  const found = await eventually(async () => (await marked()).length === names.length && marked());
  expect(found.every((term) => term.status.lapses === 1)).toBe(true);
  await eventually(() => names.every((name) => callsFor(name).length > 0));
  for (const name of names) expect(new Set(callsFor(name).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('metrics tell how many leases expired, and how many nobody leads', async () => {
  const totals = await Promise.all(servers.map(({ url }) => metricSum(url, 'coordination_leases_expired_total')));
  expect(Math.max(...totals)).toBeGreaterThan(0);
  const states = await scrape(servers[1]?.url ?? '', 'coordination_leases{');
  expect(states.map((line) => line.split(' ')[0])).toEqual([
    'coordination_leases{state="held"}',
    'coordination_leases{state="lapsed"}',
    'coordination_leases{state="vacant"}',
  ]);
  expect(Number(states[1]?.split(' ')[1])).toBeGreaterThan(60);
  const kinds = async (name: string) => (await scrape(servers[1]?.url ?? '', name)).map((line) => line.split(' ')[0]);
  expect(await kinds('coordination_leases_overdue')).toEqual(
    ['election', 'heartbeat'].map((kind) => `coordination_leases_overdue{kind="${kind}"}`),
  );
  expect(await kinds('coordination_leases_flapping')).toEqual(
    ['election', 'released', 'heartbeat'].map((kind) => `coordination_leases_flapping{kind="${kind}"}`),
  );
});

test('where terms are neither served nor announced, nothing is marked, and nothing else is written', async () => {
  await using plain = await startServerProcess({ flags: [`--runtime-config=${UPSTREAMS_GROUPS}`] });
  const body = {
    metadata: { name: 'plain' },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 1, renewTime: '2026-01-02T03:04:05.000000Z' },
  };
  await ask(LEASES, { method: 'POST', body }, plain);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await scrape(plain.url, 'coordination_leases{')).toEqual([]);
  expect((await ask('/api/v1/namespaces/default/events', {}, plain)).json.items).toEqual([]);
});
