import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { type JSONWebKeySet, createLocalJWKSet, jwtVerify } from 'jose';
import { type Answer, ask } from '../../support/http-client.js';
import { startTestServer } from '../../support/test-server.js';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const WEBHOOKS = 'admissionregistration.k8s.io/v1';
const AUDIENCE = 'https://kubernetes.default.svc';

const log: string[] = [];
const server = forAllTests(() => startTestServer({ log }));

const post = (path: string, body: object): Promise<Answer> => ask(server.url + path, { method: 'POST', body });
const as = (token: string, path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'): Promise<Answer> =>
  ask(server.url + path, { method: 'POST', body: {}, headers: { authorization: `Bearer ${token}` } });

interface TokenRequest {
  spec: { expirationSeconds: number; audiences: string[] };
  status: { token: string; expirationTimestamp: string };
}

async function tokenOf(name: string, spec: object = {}): Promise<TokenRequest> {
  const { status, json } = await post(`${ACCOUNTS}/${name}/token`, { spec });
  expect(status).toBe(201);
  return json as unknown as TokenRequest;
}

let counter = 0;
let name = '';
beforeEach(async () => {
  name = `robot-${++counter}`;
  expect((await post(ACCOUNTS, { metadata: { name } })).status).toBe(201);
});

describe('the token of a service account', () => {
  it('authenticates its program as the account', async () => {
    const { status, spec } = await tokenOf(name);
    expect(spec).toMatchObject({ audiences: [AUDIENCE], expirationSeconds: 3600 });
    const { status: code, json } = await as(status.token);
    expect(code).toBe(201);
    expect(json).toMatchObject({
      status: {
        userInfo: {
          username: `system:serviceaccount:default:${name}`,
          groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        },
      },
    });
  });

  it('stops working as soon as the account is deleted, also after an account of the same name is created', async () => {
    const { status } = await tokenOf(name);
    expect((await as(status.token)).status).toBe(201);
    const deleted = await ask(`${server.url}${ACCOUNTS}/${name}`, { method: 'DELETE' });
    expect([deleted.status, deleted.json['kind']]).toEqual([200, 'ServiceAccount']);
    expect((await as(status.token)).status).toBe(401);
    expect((await post(ACCOUNTS, { metadata: { name } })).status).toBe(201);
    expect((await as(status.token)).status).toBe(401);
    expect((await as((await tokenOf(name)).status.token)).status).toBe(201);
  });

  it('for other audiences is refused here, and a token review for one of them accepts it', async () => {
    const { token } = (await tokenOf(name, { audiences: ['vault', 'git'] })).status;
    expect((await as(token)).status).toBe(401);
    const review = (audiences?: string[]): Promise<Answer> =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } });
    expect((await review(['git', 'mail'])).json['status']).toMatchObject({ authenticated: true, audiences: ['git'] });
    expect((await review()).json['status']).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault" "git"] is invalid for the target audiences ["${AUDIENCE}"]]`,
    });
  });

  it('states when it expires', async () => {
    const before = Date.now();
    const { status } = await tokenOf(name, { expirationSeconds: 600 });
    const lives = Date.parse(status.expirationTimestamp) - before;
    expect(lives).toBeGreaterThan(590_000);
    expect(lives).toBeLessThan(700_000);
  });

  it.each([
    [{ expirationSeconds: 599 }, 422, 'may not specify a duration less than 10 minutes'],
    [{ expirationSeconds: 2 ** 32 + 1 }, 422, 'may not specify a duration larger than 2^32 seconds'],
    [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } }, 404, 'pods "p" not found'],
    [{ boundObjectRef: { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', name: 'p' } }, 400, 'cannot bind token to object of type'],
    [{ attestations: { x: ['y'] }, expirationSeconds: 1 }, 422, 'spec.attestations: Invalid value: {"x":["y"]}: attestations may only be'],
    [{ attestations: {}, boundObjectRef: { kind: 'ValidatingWebhookConfiguration', apiVersion: WEBHOOKS } }, 400, '(feature gate'],
  ])('is refused for %j', async (spec, code, text) => {
    const { status, json } = await post(`${ACCOUNTS}/${name}/token`, { spec });
    expect([status, json['message']]).toEqual([code, expect.stringContaining(text)]);
  });

  it('is refused for a missing account, and when uid or name do not match', async () => {
    expect((await post(`${ACCOUNTS}/nobody/token`, {})).status).toBe(404);
    expect((await post(`${ACCOUNTS}/${name}/token`, { metadata: { uid: 'another' } })).status).toBe(409);
    expect((await post(`${ACCOUNTS}/${name}/token`, { metadata: { name: 'another' } })).status).toBe(422);
  });

  it('can be verified by others with the keys that the server publishes', async () => {
    const { token } = (await tokenOf(name, { audiences: ['vault'] })).status;
    const configuration = await ask(`${server.url}/.well-known/openid-configuration`);
    expect(configuration.headers['cache-control']).toBe('public, max-age=3600');
    expect(configuration.json).toMatchObject({ issuer: AUDIENCE, response_types_supported: ['id_token'] });
    expect(new URL((configuration.json as { jwks_uri?: string }).jwks_uri ?? '')).toMatchObject({
      port: String(server.port),
      pathname: '/openid/v1/jwks',
    });
    const { headers, json } = await ask(`${server.url}/openid/v1/jwks`);
    expect(headers['content-type']).toBe('application/jwk-set+json');
    const published = json as unknown as JSONWebKeySet;
    const keys = createLocalJWKSet(published);
    expect((await jwtVerify(token, keys, { issuer: AUDIENCE, audience: 'vault' })).payload.sub).toBe(
      `system:serviceaccount:default:${name}`,
    );
    expect(published.keys).toEqual([expect.not.objectContaining({ d: expect.anything() as unknown })]);
  });

  it('appears in no log, whether valid or not', async () => {
    const { token } = (await tokenOf(name)).status;
    await as(token);
    await as(token.slice(0, -4));
    await as(`${token.slice(0, -8)}AAAAAAAA`);
    const parts = token.split('.');
    expect(log.filter((line) => parts.slice(1).some((part) => line.includes(part)))).toEqual([]);
  });
});
