import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { type Ask, ask as askUrl } from '../../support/http-client.js';
import { eventually } from '../../support/eventually.js';
import { grant } from '../../support/rights.js';
import { metricSum, scrape } from '../../support/scrape.js';
import { startServerProcess } from '../../support/server-process.js';

const GROUP = '/apis/history.coordination-apiserver.dev/v1';
const REFUSED = `${GROUP}/namespaces/default/refusedrequests`;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TOKENS = ['admin-token,admin,admin,"system:masters"', 'elector-token,elector,elector', 'viewer-token,viewer,viewer'];

interface Refused {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly objectName?: string; readonly resource: string; readonly verb: string; readonly user?: string };
  readonly status: { readonly code: number; readonly reason?: string; readonly remedy?: string; readonly count: number };
}

const ask = (url: string, options?: Ask) => askUrl(`${server.url}${url}`, options);
const as = (user: string) => ({ headers: { authorization: `Bearer ${user}-token` } });
const lease = (name: string, spec: object = { holderIdentity: 'a', leaseDurationSeconds: 15 }) => ({ metadata: { name }, spec });
const refused = async (query = '', path = REFUSED) => ((await ask(`${path}${query}`)).json.items ?? []) as unknown as Refused[];
const latest = async (query = '') => (await refused(query))[0];

const server = forAllTests(() => startServerProcess({ tokens: TOKENS, flags: ['--authorization-mode=RBAC'] }));
const MAY_CREATE = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create'] }];
beforeAll(() => grant(server.url, 'elector', MAY_CREATE, 'default'));

test('an elector that may not update its lease is found by the name of the lease, with what it lacks', async () => {
  await ask(LEASES, { method: 'POST', body: lease('no-update'), ...as('elector') });
  for (let n = 0; n < 3; n++) await ask(`${LEASES}/no-update`, { method: 'PUT', body: lease('no-update'), ...as('elector') });
  expect(await refused('?fieldSelector=spec.objectName=no-update')).toEqual([
    expect.objectContaining({
      spec: expect.objectContaining({ objectName: 'no-update', resource: 'leases.coordination.k8s.io', verb: 'update', user: 'elector' }),
      status: expect.objectContaining({
        code: 403,
        count: 3,
        remedy: 'Let elector update leases in default, by a Role and a RoleBinding; electors need get, create and update.',
      }),
    }),
  ]);
});

test.each([
  ['a name that no lease may have', { body: lease('My_Service') }, 422, /^Names of leases are lower case/],
  [
    'a time of JavaScript',
    { body: lease('js', { renewTime: new Date().toISOString() }) },
    400,
    / has 3 digits after the second, and six are needed/,
  ],
  ['a duration of 0', { body: lease('zero', { holderIdentity: 'a', leaseDurationSeconds: 0 }) }, 422, /^Correct spec.leaseDurationSeconds/],
  ['a token that is unknown', { body: lease('x'), ...as('unknown') }, 401, /unknown, revoked or out of date, or of another authority/],
  ['no credentials', { body: lease('x'), headers: { authorization: '' } }, 403, /^The program sends no credentials that/],
])('the remedy for %s', async (_cause, request, code, remedy) => {
  expect((await ask(LEASES, { method: 'POST', ...request })).status).toBe(code);
  expect(await latest()).toMatchObject({ spec: { verb: 'create' }, status: { code, count: 1, remedy: expect.stringMatching(remedy) } });
});

test('a time that differs with each request is one cause', async () => {
  const before = (await latest('?fieldSelector=status.code=400'))?.status.count ?? 0;
  for (const at of ['2026-01-02T15:04:05.001Z', '2026-01-02T15:04:05.002Z']) {
    await ask(LEASES, { method: 'POST', body: lease('js', { renewTime: at }) });
  }
  expect(await refused('?fieldSelector=status.code=400')).toMatchObject([{ status: { count: before + 2 } }]);
});

test('a namespace that does not exist, a version that is not served, and an election over ConfigMaps have their remedies', async () => {
  const gone = '/apis/coordination.k8s.io/v1/namespaces/gone';
  await ask(`${gone}/leases`, { method: 'POST', body: lease('a') });
  expect(await refused('', `${GROUP}/namespaces/gone/refusedrequests`)).toMatchObject([
    { status: { code: 404, remedy: "Create the namespace gone, or correct the one in the program's settings." } },
  ]);
  await ask('/apis/coordination.k8s.io/v1beta1/namespaces/default/leases/old');
  expect(await latest()).toMatchObject({ spec: { objectName: 'old' }, status: { remedy: expect.stringContaining('use v1') } });
  await ask('/api/v1/namespaces/default/configmaps/election');
  expect(await latest()).toMatchObject({
    spec: { objectName: 'election', resource: 'configmaps' },
    status: { remedy: expect.stringContaining('use a Lease as its lock') },
  });
});

test('a lost race is told from losing for ever by its count', async () => {
  const stale = { ...lease('raced'), metadata: { name: 'raced', resourceVersion: '1' } };
  await ask(LEASES, { method: 'POST', body: lease('raced') });
  await ask(`${LEASES}/raced`, { method: 'PUT', body: stale });
  const conflicts = '?fieldSelector=spec.objectName=raced';
  expect((await latest(conflicts))?.status).toMatchObject({ reason: 'Conflict', count: 1 });
  expect((await latest(conflicts))?.status.remedy).toBeUndefined();
  for (let n = 0; n < 5; n++) await ask(`${LEASES}/raced`, { method: 'PUT', body: stale });
  expect(await latest(conflicts)).toMatchObject({
    status: { count: 6, remedy: expect.stringContaining('Somebody else writes this lease') },
  });
});

test('a look at a lease that does not exist is no refusal', async () => {
  await ask(`${LEASES}/not-yet`);
  expect(await refused('?fieldSelector=spec.objectName=not-yet')).toEqual([]);
});

test('one of them is read by its name, and all namespaces at once', async () => {
  const [first] = await refused();
  const name = first?.metadata.name ?? '';
  expect((await ask(`${REFUSED}/${name}`)).json).toMatchObject({ kind: 'RefusedRequest', metadata: { name, namespace: 'default' } });
  expect((await ask(`${REFUSED}/0000`)).status).toBe(404);
  expect((await refused('', `${GROUP}/refusedrequests`)).length).toBeGreaterThan((await refused()).length);
});

test('users who may see leases do not thereby see who asked for them', async () => {
  await grant(server.url, 'viewer', 'view');
  await eventually(async () => (await ask(`${GROUP}/namespaces/default/leaseterms`, as('viewer'))).status === 200);
  expect((await ask(REFUSED, as('viewer'))).status).toBe(403);
});

test('kubectl gets a table with the remedy, and metrics tell the memory', async () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { json } = await ask(REFUSED, { headers: { accept, authorization: 'Bearer admin-token' } });
  const table = json as unknown as { columnDefinitions: { name: string; priority: number }[]; rows: { cells: unknown[] }[] };
  expect(table.columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name)).toEqual([
    'Object',
    'Verb',
    'User',
    'Code',
    'Cause',
    'Count',
    'Last',
    'Remedy',
  ]);
  expect(table.rows[0]?.cells.slice(0, 5)).toEqual(['raced', 'update leases', 'admin', 409, 'Conflict']);
  expect(await scrape(server.url, 'coordination_refusals_held_bytes')).toEqual([expect.stringMatching(/ [1-9]\d+$/)]);
});

test('metrics count leases that are refused and not held, until somebody holds them', async () => {
  const unled = () => metricSum(server.url, 'coordination_leases_refused_and_not_held', 'cause="WrongValue"');
  const before = await unled();
  await ask(LEASES, { method: 'POST', body: lease('unled', { holderIdentity: 'a', leaseDurationSeconds: 0 }) });
  expect(await unled()).toBe(before + 1);
  await ask(LEASES, { method: 'POST', body: lease('unled', { holderIdentity: 'a', leaseDurationSeconds: 3600 }) });
  expect(await unled()).toBe(before);
});

test('texts of clients in tables have no character that moves a cursor or changes the direction', async () => {
  const holder = 'a\u{1b}[31m\u{9b}2J\u{202e}';
  const name = encodeURIComponent(holder);
  await ask(`${LEASES}/${name}`, { method: 'DELETE', headers: { authorization: '', 'user-agent': 'b\u{9b}2J' } });
  await ask(LEASES, { method: 'POST', body: lease('spelt-out', { holderIdentity: holder, leaseDurationSeconds: 15 }) });
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  for (const [path, ours] of [
    [`${REFUSED}?fieldSelector=spec.objectName=${name}`, 'a\\u{1b}[31m\\u{9b}2J\\u{202e}'],
    [`${GROUP}/namespaces/default/leaseterms?fieldSelector=spec.leaseName=spelt-out`, 'a\\u{1b}[31m\\u{9b}2J\\u{202e}'],
  ] as const) {
    const { rows } = (await eventually(async () => {
      const { json } = await ask(path, { headers });
      return (json as { rows?: unknown[] }).rows?.length ? json : undefined;
    })) as unknown as { rows: { cells: unknown[] }[] };
    const cells = rows[0]!.cells.map(String);
    expect(cells).toContain(ours);
    expect(cells.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});
