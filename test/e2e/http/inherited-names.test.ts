import { encode } from 'cborg';
import { forAllTests } from '../../support/for-tests.js';
import { type Ask, ask, Http2Client } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

const GROUP = '/apis/coordination.k8s.io/v1';
const LEASES = `${GROUP}/namespaces/default/leases`;
const TOKEN_REQUEST = '/api/v1/namespaces/default/serviceaccounts/robot/token';
/** Names that every object inherits: a plain object finds them when it is indexed with a client's string. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);
/** Keys of labels and annotations begin and end with a letter or digit, so names with underscores are wrapped in letters. */
const keyOf = (name: string): string => (name.startsWith('_') ? `a${name}z` : name);
const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

const log: string[] = [];

const server = forAllTests(() => startTestServer({ log }));
const client = forAllTests(() => new Http2Client(server.url));
beforeAll(async () => {
  await client.ask('/api/v1/namespaces/default/serviceaccounts', { method: 'POST', body: { metadata: { name: 'robot' } } });
  await client.ask(LEASES, { method: 'POST', body: { metadata: { name: 'victim' } } });
});
afterEach(() => expect(log.splice(0)).toEqual([]));

/** Sends the same request over both protocols; neither may cause a server error. */
async function statusesOf(path: string, question: Ask = {}): Promise<number[]> {
  const answers = [await client.ask(path, question), await ask(server.url + path, question)];
  return answers.map(({ status }) => status);
}

const text = (value: object): string => JSON.stringify(value);
/** An own property of any name; in an object literal, `__proto__` would not be one. */
const member = (name: string, value: unknown): object => Object.fromEntries([[name, value]]);

describe.each(NAMES)('%s', (name) => {
  test('as a method is a 405, for resources and documents', async () => {
    for (const path of [LEASES, `${LEASES}/victim`, '/version', '/apis', GROUP, '/swagger/openapi.json']) {
      for (const status of await statusesOf(path, { method: name })) {
        expect([path, [200, 405]]).toEqual([path, expect.arrayContaining([status])]);
      }
    }
    expect(await statusesOf(LEASES, { method: name })).toEqual([405, 405]);
  });

  test('as any part of a path is a 404 or a normal API response', async () => {
    const paths = ['', 'api/', 'apis/', 'apis/coordination.k8s.io/', 'apis/coordination.k8s.io/v1/', 'openapi/v3/', 'swagger/', 'readyz/'];
    for (const path of paths) expect([path, await statusesOf(`/${path}${name}`)]).toEqual([path, [404, 404]]);
    expect(await statusesOf(`${LEASES}/${name}`)).toEqual([404, 404]);
    expect(await statusesOf(`${LEASES}/victim/${name}`)).toEqual([404, 404]);
    expect(await statusesOf(`${GROUP}/namespaces/${name}/leases`)).toEqual([200, 200]);
  });

  test('as a header name or within a header causes no server error', async () => {
    const headers = [
      // HTTP/2 header names are lower case.
      { [`x-${name}`.toLowerCase()]: 'x' },
      ...(name === name.toLowerCase() ? [Object.fromEntries([[name, 'x']])] : []),
      { 'accept-encoding': name },
      { 'audit-id': name },
      { 'impersonate-user': name, 'impersonate-group': name, [`impersonate-extra-${name.toLowerCase()}`]: 'x' },
    ];
    for (const each of headers) expect([each, await statusesOf(LEASES, { headers: each })]).toEqual([each, [200, 200]]);
    const accepts = [`application/json;${name}=x`, `application/json;as=${name};v=v1;g=meta.k8s.io`, `application/${name}`, name];
    for (const accept of accepts) expect(Math.max(...(await statusesOf(LEASES, { headers: { accept } })))).toBeLessThan(500);
    for (const type of [name, `application/${name}`]) {
      const question = { body: '{}', headers: { 'content-type': type } };
      expect(await statusesOf(LEASES, { method: 'POST', ...question })).toEqual([415, 415]);
      expect(await statusesOf(`${LEASES}/victim`, { method: 'PATCH', ...question })).toEqual([415, 415]);
    }
  });

  test('as a query parameter or within one causes no server error', async () => {
    for (const query of [
      `${name}=x`,
      `fieldSelector=metadata.name=${name}`,
      `labelSelector=${keyOf(name)}`,
      `labelSelector=${keyOf(name)}=x`,
      `includeObject=${name}`,
    ]) {
      expect([query, await statusesOf(`${LEASES}?${query}`)]).toEqual([query, [200, 200]]);
    }
    for (const query of [
      `fieldSelector=${name}=x`,
      `resourceVersion=${name}`,
      `resourceVersionMatch=${name}`,
      `timeout=1${name}`,
      `limit=${name}`,
    ]) {
      const statuses = await statusesOf(`${LEASES}?${query}`);
      expect([query, Math.max(...statuses) < 500]).toEqual([query, true]);
    }
    expect(await statusesOf(`${LEASES}?timeout=1${name}`)).toEqual([400, 400]);
    for (const query of [`dryRun=${name}`, `fieldValidation=${name}`, `propagationPolicy=${name}`]) {
      const statuses = await statusesOf(`${LEASES}?${query}`, { method: 'POST', body: { metadata: { name: 'x' } } });
      expect([query, Math.max(...statuses) < 500]).toEqual([query, true]);
    }
  });

  test('as kind, version or field of a body is a client error', async () => {
    const bodies = [member(name, {}), { kind: name }, { apiVersion: name }, { metadata: member(name, 'x') }, { spec: member(name, {}) }];
    const types = {
      'application/json': text,
      'application/yaml': text,
      'application/cbor': (body: object) => Buffer.from(encode(body)).toString('latin1'),
    };
    for (const [type, write] of Object.entries(types)) {
      for (const body of bodies) {
        const statuses = await statusesOf(`${LEASES}?fieldValidation=Strict`, {
          method: 'POST',
          body: write(body),
          headers: { 'content-type': type },
        });
        expect([type, body, statuses.every((status) => status >= 400 && status < 500)]).toEqual([type, body, true]);
      }
    }
  });

  test('as a key of labels and annotations is stored, changed and removed like any other', async () => {
    const object = `${LEASES}/${NAMES.indexOf(name)}-labels`;
    const metadata = {
      name: `${NAMES.indexOf(name)}-labels`,
      labels: member(keyOf(name), keyOf(name)),
      annotations: member(keyOf(name), 'x'),
    };
    expect((await client.ask(LEASES, { method: 'POST', body: { metadata } })).status).toBe(201);
    const applied = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { annotations: member(keyOf(name), 'applied') } };
    const patches: [string, object, boolean][] = [
      [PATCH.merge, { metadata: { annotations: member(keyOf(name), 'merged') } }, true],
      [PATCH.merge, member(name, {}), true],
      [PATCH.json, [{ op: 'replace', path: `/metadata/annotations/${keyOf(name)}`, value: 'y' }], true],
      [PATCH.json, [{ op: 'test', path: `/${name}/${name}`, value: 'y' }], false],
      [PATCH.json, [{ op: 'add', path: `/${name}/${name}`, value: 'y' }], false],
      [PATCH.strategic, { metadata: { annotations: member(keyOf(name), null) } }, true],
      ['application/apply-patch+yaml', applied, true],
    ];
    for (const [type, patch, taken] of patches) {
      const path = `${object}${type.includes('apply') ? `?fieldManager=test&force=true` : ''}`;
      const { status } = await client.ask(path, { method: 'PATCH', body: text(patch), headers: { 'content-type': type } });
      expect([type, patch, status < 500, status === 200]).toEqual([type, patch, true, taken]);
    }
    const { json } = await client.ask(object);
    const { labels, annotations } = json.metadata as { labels: object; annotations: object };
    expect([labels, annotations]).toEqual([member(keyOf(name), keyOf(name)), applied.metadata.annotations]);
  });

  test('as the version or a field of managedFields is refused or dropped', async () => {
    const entry = { manager: 'm', operation: 'Apply', apiVersion: name, fieldsType: 'FieldsV1', fieldsV1: member(`f:${name}`, {}) };
    const body = { metadata: { name: 'victim', managedFields: [entry] }, spec: { holderIdentity: name } };
    for (const status of await statusesOf(`${LEASES}/victim`, { method: 'PUT', body })) expect(status).toBeLessThan(500);
  });

  test('as the kind that a token is bound to is a 400', async () => {
    const body = { spec: { audiences: [name], expirationSeconds: 600, boundObjectRef: { kind: name, apiVersion: 'v1', name } } };
    expect(await statusesOf(TOKEN_REQUEST, { method: 'POST', body })).toEqual([400, 400]);
  });
});
