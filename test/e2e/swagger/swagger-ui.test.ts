import { once } from 'node:events';
import { type ClientHttp2Session, type IncomingHttpStatusHeader, connect } from 'node:http2';
import { request } from 'node:https';
import { Script } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from '@jest/globals';
import { DenyAllAuthorizer } from '../../support/deny-all-authorizer.js';
import { ask as send } from '../../support/http-client.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { name: string; in: string; description?: string; example?: string }[];
  readonly requestBody?: { content: Record<string, { example?: unknown }> };
}

type PathItem = Readonly<Record<string, Operation>> & { readonly parameters?: Operation['parameters'] };

let server: TestServer;
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  send(`${server.url}${path}`, { method, headers: { authorization: '', ...headers }, body });

async function operations() {
  const { paths } = JSON.parse((await ask('GET', '/swagger/openapi.json')).text) as { paths: Record<string, PathItem> };
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation, parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])] }] : [];
    }),
  );
}

type Described = Awaited<ReturnType<typeof operations>>[number];

/** Statuses after another media type or version has already run the example: it exists, its resourceVersion is missing, it is gone. */
const AS_LEFT: Readonly<Record<string, number>> = { post: 409, put: 422, delete: 404 };

/** Sends an operation with only its examples, as the page does. */
async function tryOut({ path, method, operation, parameters }: Described, mediaType?: string): Promise<number> {
  const query = new URLSearchParams();
  let url = path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === 'path') url = url.replace(`{${name}}`, example);
    else query.set(name, `${example}`);
  }
  if (query.has('timeoutSeconds')) query.set('timeoutSeconds', '1');
  const example = mediaType === undefined ? undefined : operation.requestBody?.content[mediaType]?.example;
  const body = example === undefined || typeof example === 'string' ? example : JSON.stringify(example);
  const headers = { authorization: 'Bearer admin-token', ...(mediaType === undefined ? {} : { 'content-type': mediaType }) };
  return (await ask(method.toUpperCase(), `${url}?${query.toString()}`, headers, body)).status;
}

describe('Swagger UI', () => {
  beforeAll(async () => {
    // Nobody has any rights, so every successful response is public.
    server = await startTestServer({ settings: { anonymousAuth: false }, authorizer: new DenyAllAuthorizer() });
  });
  afterAll(() => server.close());

  it('serves the page and everything that it loads without authentication', async () => {
    const page = await ask('GET', '/swagger');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    const loaded = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(loaded).toContain('./swagger/swagger-ui-bundle.js');
    for (const file of loaded) {
      expect(new URL(file, `${server.url}/swagger`).origin).toBe(server.url);
      expect({ file, status: (await ask('GET', new URL(file, `${server.url}/swagger`).pathname)).status }).toEqual({ file, status: 200 });
    }
  });

  it('redirects only browsers from /, to the dashboard if there is one', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
    const led = await ask('GET', '/', browser);
    expect([led.status, led.headers['location'], led.headers['vary'], led.text]).toEqual([302, 'ui/', 'Accept', '']);
    expect((await ask('HEAD', '/', browser)).status).toBe(302);
    for (const accept of ['*/*', 'application/json, */*']) expect((await ask('GET', '/', { accept })).status).toBe(401);
    expect((await ask('POST', '/', browser)).status).toBe(401);
    expect((await ask('GET', '/api', browser)).status).toBe(401);
  });

  it('is also found by an absolute-form request target', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(server.url, { path: 'https://other.example/swagger/swagger-ui.css', ca: server.authority }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(200);
  });

  it('lets the page load nothing from other origins', async () => {
    expect((await ask('GET', '/swagger/')).headers['content-security-policy']).toMatch(/^default-src 'self'/);
  });

  it('is identical for all clients, and unchanged files are a 304', async () => {
    for (const path of ['/swagger', '/swagger/openapi.json', '/swagger/swagger-ui-init.js', '/swagger/swagger-ui-bundle.js']) {
      const whole = await ask('GET', path);
      const etag = String(whole.headers['etag']);
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      expect(whole.headers['content-length']).toBe(String(Buffer.byteLength(whole.text)));
      for (const known of [etag, '*', `"other", W/${etag}`]) {
        const answer = await ask('GET', path, { 'if-none-match': known });
        expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', etag]);
      }
      expect((await ask('GET', path, { 'if-none-match': '"other"' })).status).toBe(200);
      const head = await ask('HEAD', path);
      expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', whole.headers['content-length']]);
    }
    const compressed = await ask('GET', '/swagger/openapi.json', { 'accept-encoding': 'gzip' });
    expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(compressed.headers['etag']).toMatch(/-gzip"$/);
    const again = { 'accept-encoding': 'gzip', 'if-none-match': String(compressed.headers['etag']) };
    expect((await ask('GET', '/swagger/openapi.json', again)).status).toBe(304);
  });

  it('has the media types that browsers expect', async () => {
    const types: Record<string, string> = {
      '': 'text/html; charset=utf-8',
      '/openapi.json': 'application/json',
      '/swagger-ui-init.js': 'text/javascript; charset=utf-8',
      '/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
      '/swagger-ui.css': 'text/css; charset=utf-8',
      '/favicon-32x32.png': 'image/png',
    };
    for (const [file, type] of Object.entries(types)) {
      const { headers } = await ask('GET', `/swagger${file}`);
      expect([file, headers['content-type'], headers['x-content-type-options']]).toEqual([file, type, 'nosniff']);
      expect(headers['audit-id']).toBeDefined();
    }
  });

  it('opens nothing else: other paths are refused, other methods are a 405, the API needs a token', async () => {
    expect((await ask('GET', '/swagger/package.json')).status).toBe(401);
    expect((await ask('GET', '/swagger/../apis')).status).toBe(401);
    expect((await ask('POST', '/swagger')).status).toBe(405);
    expect((await ask('GET', '/api/v1/namespaces')).status).toBe(401);
    expect((await ask('GET', '/swagger/none', { authorization: 'Bearer admin-token' })).status).toBe(403);
  });

  it('fits a phone, can be filtered, and stores a token for the tab only', async () => {
    expect((await ask('GET', '/swagger')).text).toContain('<meta name="viewport" content="width=device-width');
    const script = (await ask('GET', '/swagger/swagger-ui-init.js')).text;
    expect(script).toContain('"filter":true');
    expect(script).toContain('sessionStorage.setItem');
    expect(script).not.toContain('localStorage');
    expect(() => new Script(script)).not.toThrow();
  });

  it('shows example responses with content, and watches that end', async () => {
    const document = JSON.parse((await ask('GET', '/swagger/openapi.json')).text) as {
      paths: Record<string, Record<string, { responses: Record<string, { content: Record<string, { example?: object }> }> }>>;
    };
    const leases = '/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases';
    const shown = (path: string, method: string) => document.paths[path]?.[method]?.responses['200']?.content['application/json']?.example;
    const lease = { metadata: { name: 'example', namespace: 'default' }, spec: { holderIdentity: expect.any(String) as unknown } };
    expect(shown(`${leases}/{name}`, 'get')).toMatchObject({ kind: 'Lease', ...lease });
    expect(shown(leases, 'get')).toMatchObject({ kind: 'LeaseList', items: [lease] });
    expect(shown(`${leases}/{name}`, 'delete')).toMatchObject({ kind: 'Status', status: 'Success' });
    for (const { operation, parameters } of await operations()) {
      if (parameters.some(({ name }) => name === 'watch') && /^(list|watch)/.test(operation.operationId)) {
        expect([operation.operationId, parameters.find(({ name }) => name === 'timeoutSeconds')?.example]).toEqual([
          operation.operationId,
          5,
        ]);
      }
    }
  });

  it('describes every operation and parameter', async () => {
    const all = await operations();
    expect(new Set(all.map(({ operation }) => operation.operationId)).size).toBe(all.length);
    for (const { operation, parameters } of all) {
      expect(operation.summary).not.toBe('');
      for (const parameter of parameters) expect(parameter.description).not.toBe('');
    }
    expect(all.map(({ path }) => path)).toContain('/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{name}');
  });
});

describe('pages that clients leave unread', () => {
  const sessions: ClientHttp2Session[] = [];
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.destroy();
    await server.close();
  });

  /** Sends this many requests for the largest document from clients that read nothing; resolves with the statuses. */
  async function ignore(connections: number, streams: number): Promise<(number | undefined)[]> {
    const begun = Array.from({ length: connections }, () => {
      const session = connect(server.url, { rejectUnauthorized: false, settings: { initialWindowSize: 0 } });
      session.on('error', () => undefined);
      sessions.push(session);
      return Array.from({ length: streams }, async () => {
        const stream = session.request({ ':path': '/swagger/openapi.json' }).on('error', () => undefined);
        const [headers] = (await once(stream, 'response')) as [IncomingHttpStatusHeader];
        return headers[':status'];
      });
    });
    return Promise.all(begun.flat());
  }
  const held = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  test('hold no copies of their bytes', async () => {
    // No limits, so that no request is refused for its seat or its memory.
    const limits = { enablePriorityAndFairness: false, maxRequestsInflight: 0, maxMutatingRequestsInflight: 0 };
    const memory = { maxHeldBytes: 0, maxHeldBytesPerUser: 0, maxHeldBytesPerConnection: 0 };
    server = await startTestServer({ settings: { ...limits, ...memory } });
    await ignore(1, 1);
    const before = held();
    const statuses = await ignore(5, 80);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // 400 responses of half a megabyte each.
    expect(held() - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('have passed the limits, as anonymous requests', async () => {
    server = await startTestServer();
    const seat = 'x-kubernetes-pf-prioritylevel-uid';
    const anonymous = (await ask('GET', '/version')).headers[seat];
    expect(anonymous).toBeDefined();
    expect((await ask('GET', '/swagger/openapi.json', { authorization: 'Bearer admin-token' })).headers[seat]).toBe(anonymous);
  });
});

test('Swagger UI can be switched off', async () => {
  server = await startTestServer({ settings: { swaggerUi: false } });
  expect((await ask('GET', '/swagger')).status).toBe(404);
  await server.close();
});

describe('the examples of Swagger UI', () => {
  beforeAll(async () => (server = await startTestServer()));
  afterAll(() => server.close());

  it('work one after the other, in every media type', async () => {
    const all = await operations();
    const isCollection = ({ path }: Described) => !path.endsWith('}');
    // No example knows the name of a term or a refusal, and a server without a database has no states.
    const left = ['/finalize', '/status', '/leaseterms/{name}', '/refusedrequests/{name}', '/leases/{name}/state'];
    const resources = all.filter(({ path }) => !left.some((end) => path.endsWith(end)));
    const having = (method: string) => resources.filter((each) => each.method === method);
    const deletions = having('delete').sort((a, b) => Number(isCollection(a)) - Number(isCollection(b)));
    const results: string[] = [];
    const check = async (each: Described) => {
      for (const type of each.operation.requestBody ? Object.keys(each.operation.requestBody.content) : [undefined]) {
        const status = await tryOut(each, type);
        if (![200, 201, AS_LEFT[each.method]].includes(status)) results.push(`${each.method} ${each.path} ${type ?? ''}: ${status}`);
      }
    };
    // Objects are created before their subresources.
    const creations = having('post').sort((a, b) => Number(a.path.includes('{name}')) - Number(b.path.includes('{name}')));
    for (const each of creations) await check(each);
    await Promise.all(having('get').map(check));
    for (const each of [...having('patch'), ...having('put'), ...deletions]) await check(each);
    expect(results).toEqual([]);
  });

  it('create an object with PUT if it is missing', async () => {
    const put = (await operations()).find(({ operation }) => operation.operationId === 'replaceCoordinationV1NamespacedLease')!;
    expect(await tryOut(put, 'application/yaml')).toBe(201);
  });
});
