import { once } from 'node:events';
import { forAllTests } from '../../support/for-tests.js';
import { ask, Http2Client } from '../../support/http-client.js';
import { openTls } from '../../support/open-tls.js';
import { startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const lease = (name: string, spec: object = {}) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec });

const log: string[] = [];
const get = (path: string, headers?: Record<string, string>) => ask(server.url + path, { headers });

const server = forAllTests(() => startTestServer({ log }));
const client = forAllTests(() => new Http2Client(server.url));
afterEach(() => expect(log.splice(0)).toEqual([]));

describe('both protocols', () => {
  test('HTTP/2 creates, reads, replaces and deletes', async () => {
    const created = await client.ask(LEASES, { method: 'POST', body: lease('h2', { holderIdentity: 'a' }) });
    expect(created.status).toBe(201);
    const replaced = await client.ask(`${LEASES}/h2`, { method: 'PUT', body: { ...created.json, spec: { holderIdentity: 'b' } } });
    expect([replaced.status, replaced.json.spec?.holderIdentity]).toEqual([200, 'b']);
    expect((await client.ask(`${LEASES}/h2`)).json).toEqual(replaced.json);
    expect((await client.ask(`${LEASES}/h2`, { method: 'DELETE' })).json).toMatchObject({ kind: 'Status', status: 'Success' });
    expect((await client.ask(`${LEASES}/h2`)).status).toBe(404);
  });

  test('HTTP/1.1 sees the same objects', async () => {
    await client.ask(LEASES, { method: 'POST', body: lease('shared') });
    const [one, two] = [await get(`${LEASES}/shared`), await client.ask(`${LEASES}/shared`)];
    expect(one.text).toBe(two.text);
    expect(one.headers['content-length']).toBe(String(Buffer.byteLength(one.text)));
  });

  test("a client's Audit-ID is echoed; without one, a new one is generated", async () => {
    expect((await get('/apis', { 'Audit-ID': 'mine' })).headers['audit-id']).toBe('mine');
    expect((await client.ask('/apis')).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('a name that the database cannot store is invalid', async () => {
  const role = { metadata: { name: 'a\0b' }, rules: [] };
  const refused = await client.ask('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', { method: 'POST', body: role });
  expect([refused.status, refused.json.reason]).toEqual([422, 'Invalid']);
  const { status } = await client.ask('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/a%00b');
  expect(status).toBe(400);
});

describe('a response format that does not fit the response', () => {
  const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });

  test('is refused before anything is written', async () => {
    const before = (await client.ask(LEASES, { method: 'POST', body: lease('form') })).json;
    const body = { ...before, spec: { holderIdentity: 'x' } };
    const patch = { 'content-type': 'application/merge-patch+json', ...as('PartialObjectMetadataList') };
    const refused = [
      await client.ask(LEASES, { method: 'POST', body: lease('formless'), headers: as('PartialObjectMetadataList') }),
      await client.ask(`${LEASES}/form`, { method: 'PUT', body, headers: as('PartialObjectMetadataList') }),
      await client.ask(`${LEASES}/form`, { method: 'PATCH', body: { spec: body.spec }, headers: patch }),
      await client.ask(LEASES, { method: 'DELETE', headers: as('PartialObjectMetadata') }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([406, 406, 406, 406]);
    expect((await client.ask(`${LEASES}/form`)).json).toEqual(before);
    expect((await client.ask(`${LEASES}/formless`)).status).toBe(404);
  });

  test('does not prevent a deletion from being answered', async () => {
    const held = lease('held');
    await client.ask(LEASES, { method: 'POST', body: { ...held, metadata: { ...held.metadata, finalizers: ['example.com/f'] } } });
    const marked = await client.ask(`${LEASES}/held`, { method: 'DELETE', headers: as('PartialObjectMetadataList') });
    expect([marked.status, marked.json.kind]).toEqual([200, 'Lease']);
  });
});

test('the body of an unauthenticated request is not read', async () => {
  const huge = 'x'.repeat(4 * 1024 * 1024);
  const { status } = await client
    .ask(LEASES, { method: 'POST', body: huge, headers: { authorization: 'Bearer wrong' } })
    .catch(() => ({ status: 401 }));
  expect(status).toBe(401);
});

describe('cases that frameworks tend to answer themselves', () => {
  test('HTTP/2 answers unknown methods and invalid escapes as HTTP/1.1, which is recorded', async () => {
    for (const method of ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'FOO']) {
      expect([method, (await client.ask(LEASES, { method })).status]).toEqual([method, 405]);
    }
    expect((await client.ask(`${LEASES}/%zz`)).status).toBe(400);
  });

  test('the list of paths does not contain itself, and documents tolerate trailing slashes', async () => {
    const { paths } = (await get('/')).json as unknown as { paths: string[] };
    expect((await get('/index.html')).json).toEqual({ paths });
    expect(paths).toEqual(expect.arrayContaining(['/api', '/apis', '/apis/', '/apis/coordination.k8s.io', '/version']));
    expect(paths).not.toContain('/');
    expect(paths).not.toContain('/index.html');
    for (const path of ['/api', '/api/v1', '/apis/coordination.k8s.io', '/apis/coordination.k8s.io/v1']) {
      expect((await get(`${path}///`)).text).toBe((await get(path)).text);
    }
    expect((await get('/healthz//')).status).toBe(404);
  });

  test('a User-Agent is decoded as UTF-8', async () => {
    // Node writes a request's headers together with its body, both as UTF-8.
    const headers = { 'user-agent': 'é/1' };
    const { text } = await ask(`${server.url}${LEASES}`, { method: 'POST', body: lease('agent', { holderIdentity: 'a' }), headers });
    expect(text).toContain('"manager":"é"');
  });

  test('an absolute-form target is reduced to its path', async () => {
    const text = await rawRequest(
      `GET ${server.url}/version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  const HOST = 'Host: x\r\n';
  const head = (line: string, headers = HOST, end = '\r\n') =>
    `${line}\r\n${headers}Authorization: Bearer admin-token\r\nConnection: close\r\n${end}`;
  const codings = (value: string) => `${HOST}Transfer-Encoding: ${value}\r\n`;
  test.each([
    ['two hosts', head('GET /version HTTP/1.1', `${HOST}Host: y\r\n`), 400],
    ['the same host twice', head('GET /version HTTP/1.1', `${HOST}host: x\r\n`), 400],
    ['no host', head('GET /version HTTP/1.1', ''), 400],
    ['no host in HTTP/1.0', head('GET /version HTTP/1.0', ''), 200],
    ['a host with invalid characters', head('GET /version HTTP/1.1', 'Host: x<y\r\n'), 400],
    ['a host in brackets', head('GET /version HTTP/1.1', 'Host: [::1]:6443\r\n'), 200],
    ['two hosts and an unknown method', head('FOO /version HTTP/1.1', `${HOST}Host: y\r\n`), 400],
    ['no host and an unknown method', head('FOO /version HTTP/1.1', ''), 400],
    ['a request line of HTTP/0.9', 'GET /version\r\n\r\n', 400],
    ['the version 0.9', head('GET /version HTTP/0.9'), 400],
    ['the version 2.0', head('GET /version HTTP/2.0'), 505],
    ['the version 3.0', head('GET /version HTTP/3.0'), 400],
    ['an unknown transfer coding', head('POST /version HTTP/1.1', codings('gzip, chunked'), '\r\n0\r\n\r\n'), 501],
    [
      'Content-Length and Transfer-Encoding',
      head('POST /version HTTP/1.1', `${codings('chunked')}Content-Length: 3\r\n`, '\r\n0\r\n\r\n'),
      400,
    ],
    ['two Content-Lengths', head('POST /version HTTP/1.1', `${HOST}Content-Length: 3\r\nContent-Length: 4\r\n`, '\r\nabc'), 400],
    ['a folded header line', head('GET /version HTTP/1.1', `${HOST}X-A: a\r\n b\r\n`), 400],
    ['a bare carriage return', head('GET /version HTTP/1.1', `${HOST}X-A: a\rb\r\n`), 400],
  ])('HTTP/1 with %s', async (_name, text, status) => {
    expect(await rawRequest(text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test('bytes that are not HTTP get a 400 and a closed connection', async () => {
    expect(await rawRequest('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request/);
  });

  test('large headers are accepted', async () => {
    const labels = Array.from({ length: 2000 }, (_, i) => `key-${i}=value`).join(',');
    expect((await get(`${LEASES}?labelSelector=${encodeURIComponent(labels)}`)).json.kind).toBe('LeaseList');
    expect((await client.ask(`${LEASES}?labelSelector=${encodeURIComponent(labels)}`)).json.kind).toBe('LeaseList');
  });
});

describe('bodies', () => {
  test('above 3 MiB are a 413, and the connection stays open', async () => {
    const { status, json } = await client.ask(LEASES, { method: 'POST', body: ' '.repeat(3 * 1024 * 1024 + 1) });
    expect([status, json.message]).toEqual([413, 'Request entity too large: limit is 3145728']);
    expect((await client.ask('/readyz')).status).toBe(200);
  });

  test('a client that disconnects within its body changes nothing and causes no server error', async () => {
    const socket = await openTls(server.port);
    socket.write(`POST ${LEASES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nContent-Length: 1000\r\n\r\n{"metadata":`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await get('/readyz')).status).toBe(200);
  });
});

describe('warnings', () => {
  test('unknown fields are reported in headers over both protocols', async () => {
    const body = JSON.stringify({ ...lease('warned'), bogus: 1, 'ünknown"': 2 });
    const expected = ['299 - "unknown field \\"bogus\\""', '299 - "unknown field \\"ünknown\\\\\\"\\""'];
    for (const send of [ask.bind(undefined, server.url + LEASES), client.ask.bind(client, LEASES)]) {
      const { headers } = await send({ method: 'POST', body, headers: { 'content-type': 'application/json' } });
      expect(Buffer.from(String(headers.warning), 'latin1').toString('utf8')).toBe(expected.join(', '));
    }
  });
});

async function rawRequest(text: string): Promise<string> {
  const socket = await openTls(server.port);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.write(text);
  await once(socket, 'close');
  return received;
}
