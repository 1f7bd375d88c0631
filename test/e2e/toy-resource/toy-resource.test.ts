import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { runProgram } from '../../clients/run-program.js';
import { describeWith, KUBECTL } from '../../clients/toolchain.js';
import { type Ask, ask as askUrl } from '../../support/http-client.js';
import { kubeconfig } from '../../support/kubeconfig.js';
import { allowing } from '../../support/rights.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { startTestServer } from '../../support/test-server.js';
import { WatchClient } from '../../support/watch-client.js';
import { ToysModule } from './toys.module.js';

const GROUP = '/apis/toys.example.com/v1';
const WIDGETS = `${GROUP}/namespaces/default/widgets`;
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

const ask = (url: string, options?: Ask) => askUrl(`${server.url}${url}`, options);

const server = forAllTests(() => {
  const authorizer = allowing({ alice: [{ verbs: ['get', 'list'], apiGroups: ['toys.example.com'], resources: ['widgets'] }] });
  return startTestServer({ authorizer, modules: [ToysModule] });
});

test('a toy resource can be created, listed, watched and applied, and is validated', async () => {
  const watch = new WatchClient(`${server.url}${WIDGETS}?watch=true`);
  const created = await ask(WIDGETS, { method: 'POST', body: { metadata: { name: 'a' }, spec: { size: 1 } } });
  expect(created).toMatchObject({ status: 201, json: { kind: 'Widget', apiVersion: 'toys.example.com/v1', spec: { size: 1 } } });
  const applied = { apiVersion: 'toys.example.com/v1', kind: 'Widget', metadata: { name: 'b' }, spec: { size: 2 } };
  expect(await ask(`${WIDGETS}/b?fieldManager=me`, { method: 'PATCH', headers: APPLY, body: applied })).toMatchObject({
    status: 201,
    json: { metadata: { managedFields: [{ manager: 'me', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:size': {} } } }] } },
  });
  expect(
    await ask(`${WIDGETS}/b?fieldManager=other`, { method: 'PATCH', headers: APPLY, body: { ...applied, spec: { size: 3 } } }),
  ).toMatchObject({
    status: 409,
  });
  expect((await watch.count(2)).map(({ type, object }) => [type, object.metadata?.name])).toEqual([
    ['ADDED', 'a'],
    ['ADDED', 'b'],
  ]);
  watch.abort();
  expect(await ask(WIDGETS)).toMatchObject({
    status: 200,
    json: { kind: 'WidgetList', items: [{ spec: { size: 1 } }, { spec: { size: 2 } }] },
  });
  const refused = await ask(WIDGETS, { method: 'POST', body: { metadata: { name: 'c' }, spec: { size: 0 } } });
  expect(refused).toMatchObject({ status: 422, json: { details: { causes: [{ field: 'spec.size' }] } } });
});

test('a list of toy resources has a Table', async () => {
  const { json } = await ask(WIDGETS, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } });
  expect(json).toMatchObject({ columnDefinitions: [{ name: 'Name' }, { name: 'Size' }, { name: 'Age' }] });
});

test("discovery lists the toy resource after the server's own groups, and OpenAPI describes it", async () => {
  const { json: groups } = await ask('/apis');
  expect((groups as unknown as { groups: { name: string }[] }).groups.at(-1)?.name).toBe('toys.example.com');
  expect((await ask(GROUP)).json).toMatchObject({
    resources: [{ name: 'widgets', singularName: 'widget', kind: 'Widget', shortNames: ['wd'] }],
  });
  expect((await ask(`/openapi/v3${GROUP}`)).json).toMatchObject({ paths: { [`${GROUP}/widgets`]: expect.anything() } });
  expect((await ask('/openapi/v2')).json).toMatchObject({ definitions: { 'com.example.toys.v1.Widget': expect.anything() } });
});

test('roles decide which users may read and write the toy resource', async () => {
  const as = (user: string) => ({ authorization: `Bearer ${user}-token` });
  expect((await ask(WIDGETS, { headers: as('alice') })).status).toBe(200);
  expect((await ask(WIDGETS, { headers: as('alice'), method: 'POST', body: { metadata: { name: 'x' } } })).status).toBe(403);
  expect((await ask(WIDGETS, { headers: as('bob') })).status).toBe(403);
});

describeWith([KUBECTL], 'kubectl', () => {
  const directory = scratchDirectory();

  test('gets the toy resource by its short name and explains it', async () => {
    const file = path.join(directory, 'kubeconfig');
    const authority = Buffer.from(server.authority).toString('base64');
    await writeFile(file, kubeconfig({ server: server.url, 'certificate-authority-data': authority }, { token: 'admin-token' }));
    const kubectl = (...args: string[]) => runProgram('kubectl', [`--kubeconfig=${file}`, `--cache-dir=${directory}`, ...args]);
    expect((await kubectl('get', 'wd')).stdout).toMatch(/^NAME\s+SIZE\s+AGE\na\s+1\s+\S+\nb\s+2\s+\S+\n$/);
    expect((await kubectl('explain', 'widgets.spec.size')).stdout).toContain('How large the widget is.');
  });
});
