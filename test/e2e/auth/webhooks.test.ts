import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startAnswering } from '../../support/answering-server.js';
import { type TestCertificate, authority, clientCertificate, extension, certificate } from '../../support/certificates.js';
import { forAllTests } from '../../support/for-tests.js';
import { type Ask, ask } from '../../support/http-client.js';
import { kubeconfig } from '../../support/kubeconfig.js';
import { scratchDirectory } from '../../support/scratch-directory.js';
import { startServerProcess } from '../../support/server-process.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const LOCAL_NAMES = '300687047f000001';

interface Review {
  readonly kind: string;
  readonly apiVersion: string;
  readonly spec: {
    readonly token?: string;
    readonly user?: string;
    readonly group?: string[];
    readonly resourceAttributes?: { readonly verb?: string; readonly name?: string };
  };
}

/**
 * Requests that the webhook received, about tokens and about rights. It answers only clients that present a certificate of the client
 * authority.
 */
const asked: Review[] = [];
const file = path.join(scratchDirectory(), 'webhook.kubeconfig');
let [root, clients]: TestCertificate[] = [];

function statusOf({ kind, spec }: Review): object | number {
  if (kind === 'TokenReview') {
    if (spec.token === 'no-answer') return 403;
    const user = { username: spec.token, groups: ['remote'], extra: { scopes: ['a'] } };
    return spec.token?.startsWith('remote-') ? { authenticated: true, user } : { authenticated: false };
  }
  const { verb, name } = spec.resourceAttributes ?? {};
  if (name === 'no-answer') return 403;
  if (name === 'denied') return { allowed: false, denied: true, reason: 'never that one' };
  return { allowed: spec.user === 'remote-ann' && verb === 'get', reason: 'says the webhook' };
}

beforeAll(async () => {
  [root, clients] = [await authority('webhooks'), await authority('callers')];
});
const webhook = forAllTests(async () => {
  const names = [extension('2.5.29.17', false, LOCAL_NAMES)];
  const { cert, key } = await certificate('CN=webhook', { issuer: root, usages: ['serverAuth'], extensions: names });
  return startAnswering(
    (text, _, response) => {
      const review = JSON.parse(text) as Review;
      asked.push(review);
      const status = statusOf(review);
      if (typeof status === 'number') response.writeHead(status).end();
      else response.end(JSON.stringify({ kind: review.kind, apiVersion: review.apiVersion, status }));
    },
    { cert, key, ca: clients?.cert, requestCert: true },
  );
});
const server = forAllTests(async () => {
  const caller = await clientCertificate(clients as TestCertificate, 'CN=caller');
  const data = (text = '') => Buffer.from(text).toString('base64');
  const cluster = { server: `${webhook.url}/ask`, 'certificate-authority-data': data(root?.cert) };
  await writeFile(file, kubeconfig(cluster, { 'client-certificate-data': data(caller.cert), 'client-key-data': data(caller.key) }));
  return startServerProcess({
    flags: [
      `--authentication-token-webhook-config-file=${file}`,
      '--authentication-token-webhook-version=v1',
      '--authorization-mode=RBAC,Webhook',
      `--authorization-webhook-config-file=${file}`,
    ],
  });
});
beforeEach(() => (asked.length = 0));

const as = (token: string, target: string, options: Ask = {}) =>
  ask(server.url + target, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } });

test("tokens and rights of the webhook's users are asked for once", async () => {
  for (let n = 0; n < 3; n++) {
    const { status, json } = await as('remote-ann', `${LEASES}/x`);
    expect([status, json['reason']]).toEqual([404, 'NotFound']);
  }
  expect(asked).toMatchObject([
    {
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { token: 'remote-ann', audiences: ['https://kubernetes.default.svc'] },
    },
    {
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { user: 'remote-ann', group: ['remote', 'system:authenticated'], resourceAttributes: { verb: 'get', name: 'x' } },
    },
  ]);
});

test('a token that the webhook rejects or fails to review is a 401', async () => {
  expect((await as('unknown', LEASES)).status).toBe(401);
  expect((await as('no-answer', LEASES)).status).toBe(401);
});

test("a request that the webhook does not allow is refused with the webhook's reason", async () => {
  const { status, json } = await as('remote-bob', LEASES);
  expect([status, json['message']]).toEqual([403, expect.stringMatching(/cannot list resource "leases".*: says the webhook$/)]);
  expect((await as('remote-ann', `${LEASES}/denied`)).json['message']).toMatch(/never that one$/);
});

test('a request that no authorizer can decide is a 500, unless another mode allows it', async () => {
  const { status, text } = await as('remote-bob', `${LEASES}/no-answer`);
  expect([status, text]).toEqual([500, `Internal Server Error: "${LEASES}/no-answer": the webhook responded with 403\n`]);
  expect((await as('admin-token', `${LEASES}/no-answer`)).status).toBe(404);
});

test("reviews return the webhook's decision", async () => {
  const review = (kind: string, spec: object, group = 'authorization') =>
    as('admin-token', `/apis/${group}.k8s.io/v1/${kind.toLowerCase()}s`, {
      method: 'POST',
      body: { apiVersion: `${group}.k8s.io/v1`, kind, spec },
    });
  const attributes = (name: string) => ({
    user: 'remote-eve',
    resourceAttributes: { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', name },
  });
  expect((await review('SubjectAccessReview', attributes('denied'))).json['status']).toMatchObject({ allowed: false, denied: true });
  expect((await review('SubjectAccessReview', attributes('no-answer'))).json['status']).toMatchObject({
    allowed: false,
    evaluationError: 'the webhook responded with 403',
  });
  expect((await review('TokenReview', { token: 'remote-eve' }, 'authentication')).json['status']).toMatchObject({
    authenticated: true,
    user: { username: 'remote-eve', groups: ['remote', 'system:authenticated'] },
  });
});
