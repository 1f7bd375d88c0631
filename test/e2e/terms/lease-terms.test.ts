import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { Kubectl } from '../../clients/kubectl-program.js';
import { describeWith, KUBECTL } from '../../clients/toolchain.js';
import { type Ask, ask as askUrl } from '../../support/http-client.js';
import { eventually } from '../../support/eventually.js';
import { grant } from '../../support/rights.js';
import { UPSTREAMS_GROUPS } from '../../support/upstreams-groups.js';
import { startServerProcess } from '../../support/server-process.js';
import { WatchClient } from '../../support/watch-client.js';
import type { WireObject } from '../../support/wire-object.js';

const GROUP = '/apis/history.coordination-apiserver.dev/v1';
const TERMS = `${GROUP}/namespaces/default/leaseterms`;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const TOKENS = ['admin-token,admin,admin,"system:masters"', 'viewer-token,viewer,viewer', 'nobody-token,nobody,nobody'];

interface Term extends Omit<WireObject, 'spec'> {
  readonly spec: { readonly leaseName: string; readonly holder: string; readonly fencingToken: string };
  readonly status: { readonly phase: string; readonly reason?: string };
}

const ask = (url: string, options?: Ask) => askUrl(`${server.url}${url}`, options);
const as = (user: string) => ({ headers: { authorization: `Bearer ${user}-token` } });
const items = async (query = '') => ((await ask(`${TERMS}${query}`)).json.items ?? []) as unknown as Term[];
const summary = ({ spec, status }: Term) => `${spec.leaseName} ${spec.holder} ${status.reason ?? status.phase}`;

async function hold(name: string, holderIdentity: string, leases = LEASES): Promise<WireObject> {
  const { json } = await ask(`${leases}/${name}`);
  const spec = { holderIdentity, leaseDurationSeconds: 15 };
  const known = json.kind === 'Lease';
  const body = { metadata: known ? json.metadata : { name }, spec };
  return (await ask(known ? `${leases}/${name}` : leases, { method: known ? 'PUT' : 'POST', body })).json;
}

const server = forAllTests(() => startServerProcess({ tokens: TOKENS, flags: ['--authorization-mode=RBAC'] }));
beforeAll(async () => {
  await hold('first', 'a');
  await hold('first', 'b');
  await hold('second', 'a');
});

test('terms are served by a group of their own, which discovery and OpenAPI describe', async () => {
  expect((await ask(GROUP)).json).toMatchObject({
    resources: [
      { name: 'leaseterms', singularName: 'leaseterm', namespaced: true, shortNames: ['lt'], verbs: ['get', 'list', 'watch'] },
      { name: 'refusedrequests', singularName: 'refusedrequest', namespaced: true, shortNames: ['refused'], verbs: ['get', 'list'] },
    ],
  });
  const name = `${GROUP}/namespaces/{namespace}/leaseterms/{name}`;
  expect((await ask(`/openapi/v3${GROUP}`)).json).toMatchObject({ paths: { [name]: expect.anything() } });
  expect((await ask('/openapi/v2')).text).toContain('"dev.coordination-apiserver.history.v1.LeaseTerm"');
});

test('a term is named after its lease and its fencing token', async () => {
  const { json } = await ask(`${LEASES}/first`);
  const token = json.metadata?.resourceVersion;
  expect((await ask(`${TERMS}/first.${token}`)).json).toMatchObject({
    kind: 'LeaseTerm',
    spec: {
      leaseName: 'first',
      leaseUID: expect.stringMatching(/^[-0-9a-f]{36}$/),
      holder: 'b',
      fencingToken: token,
      leaseDurationSeconds: 15,
    },
    status: { phase: 'Held' },
  });
  expect((await ask(`${TERMS}/first.1`)).status).toBe(404);
});

test('terms are selected by field, listed in pages, and printed as a Table', async () => {
  expect((await items()).map(summary)).toEqual(['first a Replaced', 'first b Held', 'second a Held']);
  expect((await items('?fieldSelector=spec.holder%3Da,status.phase%3DHeld')).map(summary)).toEqual(['second a Held']);
  const page = (await ask(`${TERMS}?limit=1`)).json;
  expect((page.items as unknown as Term[]).map(summary)).toEqual(['first a Replaced']);
  expect((await items(`?continue=${page.metadata?.continue}`)).map(summary)).toEqual(['first b Held', 'second a Held']);
  const table = (await ask(TERMS, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })).json as unknown as {
    columnDefinitions: { name: string }[];
    rows: { cells: string[] }[];
  };
  expect(table.columnDefinitions.map(({ name }) => name).slice(1, 5)).toEqual(['Lease', 'Holder', 'Phase', 'Reason']);
  expect(table.rows.map(({ cells }) => cells.slice(1, 5))[0]).toEqual(['first', 'a', 'Ended', 'Replaced']);
});

test('a watch shows what becomes of terms', async () => {
  const { json } = await ask(TERMS);
  const watch = new WatchClient(`${server.url}${TERMS}?watch=true&resourceVersion=${json.metadata?.resourceVersion}`);
  await watch.response;
  await hold('watched', 'a');
  await hold('watched', 'b');
  await ask(`${LEASES}/watched`, { method: 'DELETE' });
  expect((await watch.count(4)).map(({ type, object }) => `${type} ${summary(object as unknown as Term)}`)).toEqual([
    'ADDED watched a Held',
    'MODIFIED watched a Replaced',
    'ADDED watched b Held',
    'MODIFIED watched b Deleted',
  ]);
  watch.abort();
});

test('terms are read-only', async () => {
  const [term] = await items();
  expect((await ask(TERMS, { method: 'POST', body: { metadata: { name: 'x' } } })).status).toBe(405);
  expect((await ask(`${TERMS}/${term?.metadata?.name}`, { method: 'PUT', body: term ?? {} })).status).toBe(405);
  expect((await ask(`${TERMS}/${term?.metadata?.name}`, { method: 'DELETE' })).status).toBe(405);
  expect((await ask(TERMS, { method: 'DELETE' })).status).toBe(405);
});

test('the role view includes terms', async () => {
  await grant(server.url, 'viewer', 'view');
  expect((await ask(TERMS, as('nobody'))).status).toBe(403);
  await eventually(async () => (await ask(TERMS, as('viewer'))).status === 200);
});

test('terms outlive their leases and the namespace of these', async () => {
  await ask('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'gone' } } });
  await hold('last', 'a', LEASES.replace('default', 'gone'));
  await ask('/api/v1/namespaces/gone', { method: 'DELETE' });
  await eventually(async () => (await ask('/api/v1/namespaces/gone')).status === 404);
  const { json } = await ask(TERMS.replace('default', 'gone'));
  expect((json.items as unknown as Term[]).map(summary)).toEqual(['last a Deleted']);
});

test('a server that does not serve the group looks like kube-apiserver', async () => {
  await using plain = await startServerProcess({
    tokens: TOKENS,
    flags: ['--authorization-mode=RBAC', `--runtime-config=${UPSTREAMS_GROUPS}`],
  });
  expect((await askUrl(`${plain.url}${GROUP}`)).status).toBe(404);
  for (const document of ['/apis', '/openapi/v2', '/openapi/v3', '/apis/rbac.authorization.k8s.io/v1/clusterroles']) {
    expect((await askUrl(`${plain.url}${document}`)).text).not.toContain('history');
  }
});

describeWith([KUBECTL], 'kubectl', () => {
  const kubectl = forAllTests(() => Kubectl.of(server.dataDir));

  test('gets, selects and explains terms', async () => {
    expect(await kubectl.ok('get', 'lt', '--field-selector=spec.leaseName=second')).toMatch(
      /^NAME\s+LEASE\s+HOLDER\s+PHASE\s+REASON\s+SINCE\s+DURATION\nsecond\.\d+\s+second\s+a\s+Held(, lapsed)?\s+\S+\s+\S+\n$/,
    );
    expect(await kubectl.ok('explain', 'leaseterms.spec.fencingToken')).toContain('ResourceVersion of the write that began the term.');
  });
});

test('a lock that is forced open, as by `terraform force-unlock`, is in the log and in the history as forced', async () => {
  await ask(`${LEASES}/forced/lock?holder=one`, { method: 'PUT' });
  expect((await ask(`${LEASES}/forced/lock`, { method: 'DELETE', headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' } })).status).toBe(
    200,
  );
  await ask(`${LEASES}/forced/lock?holder=two`, { method: 'PUT' });
  await ask(`${LEASES}/forced/lock?holder=two&force=true`, { method: 'DELETE' });
  const terms = (await items()).filter(({ spec }) => spec.leaseName === 'forced');
  expect(terms.map(summary).sort()).toEqual(['forced one Forced', 'forced two Released']);
  const told = server
    .output()
    .split('\n')
    .filter((line) => line.includes('forced open'))
    .map((line) => JSON.parse(line) as object);
  expect(told).toMatchObject([{ level: 'warn', namespace: 'default', lease: 'forced', holder: 'one', by: 'admin' }]);
  await ask(`${LEASES}/forced`, { method: 'DELETE' });
});
