import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthorizationMode } from '../../../src/auth/auth.settings.js';
import { RequestHeaderAuthenticator } from '../../../src/auth/authentication/request-header/request-header-authenticator.js';
import { CertificateVerifier } from '../../../src/auth/authentication/x509/certificate-verifier.js';
import { type TestCertificate, authority, clientCertificate } from '../../support/certificates.js';
import { grant } from '../../support/rights.js';
import { type SecureAnswer, type SecureRequest, secureRequest } from '../../support/secure-client.js';
import { type TestServer, startTestServer } from '../../support/test-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ACCESS_REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Named by the front proxy. */
let proxy: TestCertificate;
/** Of the same authority, with a name that is not allowed. */
let stranger: TestCertificate;
let alone: TestServer;
let withRoles: TestServer;

beforeAll(async () => {
  const proxies = await authority('front-proxy-ca');
  [proxy, stranger] = [await clientCertificate(proxies, 'CN=front-proxy'), await clientCertificate(proxies, 'CN=stranger')];
  const names = { username: ['X-Remote-User'], uid: [], group: ['X-Remote-Group'], extraPrefix: [] };
  const verifier = new CertificateVerifier([proxies.x509], Date.now);
  const authenticators = [new RequestHeaderAuthenticator(verifier, { ...names, allowedNames: ['front-proxy'] })];
  const start = (authorizationMode: AuthorizationMode[]) =>
    startTestServer({
      settings: { authorizationMode },
      tokens: ['ann-token,ann,ann'],
      certificates: { authenticators, authorities: proxies.cert },
    });
  [alone, withRoles] = [await start(['FrontProxy']), await start(['FrontProxy', 'RBAC'])];
});
afterAll(() => Promise.all([alone?.close(), withRoles?.close()]));

/** A request of a user that kube-apiserver authorized and passes on. */
function through(server: TestServer, user: string, request: Omit<SecureRequest, 'body'> & { body?: object }): Promise<SecureAnswer> {
  const { body, headers, ...rest } = request;
  const all = { 'content-type': 'application/json', 'x-remote-user': user, 'x-remote-group': 'dev', ...headers };
  return secureRequest(server.port, { shows: [proxy], protocol: 'h2', ...rest, headers: all, body: body && JSON.stringify(body) });
}

const leaseOf = (name: string, holderIdentity = 'me') => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec: { holderIdentity },
});
const create = (server: TestServer, user: string, name: string) =>
  through(server, user, { method: 'POST', path: LEASES, body: leaseOf(name) });
const put = (server: TestServer, user: string, name: string) =>
  through(server, user, { method: 'PUT', path: `${LEASES}/${name}`, body: leaseOf(name, 'another') });
const apply = (server: TestServer, user: string, name: string) =>
  through(server, user, {
    method: 'PATCH',
    path: `${LEASES}/${name}?fieldManager=test`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: leaseOf(name, 'applied'),
  });

const SERVERS = [
  ['FrontProxy alone', () => alone],
  ['FrontProxy with RBAC', () => withRoles],
] as const;

/** A right to use a verb on a resource. */
const right = (verb: string, apiGroup: string, resource: string) => [{ verbs: [verb], apiGroups: [apiGroup], resources: [resource] }];

describe.each(SERVERS)('%s', (_, server) => {
  test.each(['http/1.1', 'h2'] as const)('allows the requests of a front proxy over %s', async (protocol) => {
    const name = `allowed-${protocol.replace('/', '-')}`;
    const at = { path: `${LEASES}/${name}`, protocol };
    expect((await through(server(), 'ann', { method: 'POST', path: LEASES, body: leaseOf(name), protocol })).status).toBe(201);
    const read = await through(server(), 'ann', { method: 'GET', ...at });
    expect(read.status).toBe(200);
    expect((await through(server(), 'ann', { method: 'PUT', ...at, body: JSON.parse(read.text) as object })).status).toBe(200);
    expect((await apply(server(), 'ann', name)).status).toBe(409);
    expect((await through(server(), 'ann', { method: 'DELETE', ...at })).status).toBe(200);
  });

  test('refuses the creation that a PUT or apply turns out to be, which kube-apiserver was not asked for', async () => {
    for (const write of [put, apply]) {
      const { status, text } = await write(server(), 'ann', 'missing');
      expect([status, text]).toEqual([403, expect.stringContaining('cannot create resource \\"leases\\"')]);
    }
    expect((await through(server(), 'ann', { method: 'GET', path: `${LEASES}/missing` })).status).toBe(404);
  });

  test('refuses impersonation by users of a front proxy', async () => {
    const request = { method: 'GET', path: LEASES, headers: { 'impersonate-user': 'bob' } };
    const { status, text } = await through(server(), 'ann', request);
    expect([status, text]).toEqual([403, expect.stringContaining('cannot impersonate')]);
  });

  test('refuses requests that do not come through the proxy, whatever their headers say', async () => {
    const headers = { 'x-remote-user': 'ann', 'x-remote-group': 'dev' };
    const direct = { path: LEASES, protocol: 'h2' } as const;
    const statusOf = async (request: SecureRequest) => (await secureRequest(server().port, { ...direct, ...request })).status;
    expect(await statusOf({ headers })).toBe(403);
    expect(await statusOf({ headers: { authorization: 'Bearer ann-token' } })).toBe(403);
    expect(await statusOf({ headers: { ...headers, authorization: 'Bearer ann-token' } })).toBe(403);
    expect(await statusOf({ headers, shows: [stranger] })).toBe(401);
    // With the proxy's certificate, but without a user of the proxy.
    expect(await statusOf({ headers: { authorization: 'Bearer ann-token' }, shows: [proxy] })).toBe(403);
  });

  test('decides other questions of a proxied request by the other modes', async () => {
    const resourceAttributes = { verb: 'update', group: 'coordination.k8s.io', resource: 'leases', namespace: 'default' };
    const review = await through(server(), 'ann', { method: 'POST', path: ACCESS_REVIEWS, body: { spec: { resourceAttributes } } });
    expect([review.status, JSON.parse(review.text)]).toMatchObject([201, { status: { allowed: false } }]);
    const everything = { metadata: { name: 'everything' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
    const role = await through(server(), 'ann', { method: 'POST', path: `${RBAC}/namespaces/default/roles`, body: everything });
    expect([role.status, role.text]).toEqual([403, expect.stringContaining('not currently held')]);
  });
});

test('a role lets a PUT or apply through the proxy create', async () => {
  await grant(withRoles.url, 'eve', right('create', 'coordination.k8s.io', 'leases'));
  expect((await put(withRoles, 'eve', 'put-creates')).status).toBe(201);
  expect((await apply(withRoles, 'eve', 'apply-creates')).status).toBe(201);
  expect((await create(withRoles, 'eve', 'put-creates')).status).toBe(409);
});

test("a role lets a user of the proxy impersonate, and the impersonated user's own rights then decide", async () => {
  await grant(withRoles.url, 'ivy', right('impersonate', '', 'users'));
  const impersonate = async (user: string) =>
    (await through(withRoles, 'ivy', { method: 'GET', path: LEASES, headers: { 'impersonate-user': user } })).status;
  expect(await impersonate('bob')).toBe(403);
  await grant(withRoles.url, 'bob', right('list', 'coordination.k8s.io', 'leases'));
  expect(await impersonate('bob')).toBe(200);
});
