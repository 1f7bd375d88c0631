import { WebhookError } from '../webhook/webhook-client.js';
import { type AuthorizationAttributes, AuthorizationError } from './authorizer.js';
import { WebhookAuthorizer } from './webhook-authorizer.js';

const ann = { name: 'ann', uid: 'u1', groups: ['dev'], extra: { scopes: ['a'] } };
const get: AuthorizationAttributes = {
  isResourceRequest: true,
  verb: 'get',
  apiGroup: 'coordination.k8s.io',
  apiVersion: 'v1',
  namespace: 'ns',
  resource: 'leases',
  subresource: '',
  name: 'x',
  path: '/apis/coordination.k8s.io/v1/namespaces/ns/leases/x',
};
const path: AuthorizationAttributes = { ...get, isResourceRequest: false, verb: 'get', path: '/metrics' };
let time: number;
let asked: object[];
function authorizerWith(answer: () => object, groupsField: 'group' | 'groups' = 'groups'): WebhookAuthorizer {
  time = 0;
  asked = [];
  const review = async (spec: object) => {
    asked.push(spec);
    await Promise.resolve();
    return answer() as Record<string, unknown>;
  };
  return new WebhookAuthorizer({ reviewer: { review }, groupsField, allowedTtlMs: 1000, refusedTtlMs: 100, now: () => time });
}

describe('WebhookAuthorizer', () => {
  it('sends user and request in the fields of the version', async () => {
    const resourceAttributes = { namespace: 'ns', verb: 'get', group: 'coordination.k8s.io', version: 'v1', resource: 'leases', name: 'x' };
    const who = { user: 'ann', uid: 'u1', extra: { scopes: ['a'] } };
    await authorizerWith(() => ({})).authorize(ann, get);
    expect(asked).toEqual([{ resourceAttributes, ...who, groups: ['dev'] }]);
    await authorizerWith(() => ({}), 'group').authorize(ann, path);
    expect(asked).toEqual([{ nonResourceAttributes: { path: '/metrics', verb: 'get' }, ...who, group: ['dev'] }]);
  });

  it.each([
    [
      { allowed: true, reason: 'yes' },
      { allowed: true, reason: 'yes' },
    ],
    [
      { allowed: false, reason: 'no' },
      { allowed: false, reason: 'no' },
    ],
    [
      { denied: true, reason: 'never' },
      { allowed: false, denied: true, reason: 'never' },
    ],
    [{ allowed: 'true' }, { allowed: false }],
  ])('interprets %j as %j', async (status, decision) => {
    expect(await authorizerWith(() => status).authorize(ann, get)).toEqual(decision);
  });

  it('fails if the webhook gives no decision, or both allows and denies', async () => {
    const broken = authorizerWith(() => {
      throw new WebhookError('down', false);
    });
    expect(await broken.authorize(ann, get)).toEqual({ allowed: false, error: new AuthorizationError('down') });
    await broken.authorize(ann, get);
    expect(asked).toHaveLength(2);
    expect(await authorizerWith(() => ({ allowed: true, denied: true })).authorize(ann, get)).toMatchObject({
      allowed: false,
      denied: true,
      error: expect.any(AuthorizationError) as unknown,
    });
  });

  it.each([
    ['an allowance', true, 1000],
    ['a refusal', false, 100],
  ])('caches %s for its TTL', async (_what, allowed, ttl) => {
    const authorizer = authorizerWith(() => ({ allowed }));
    const first = await authorizer.authorize(ann, get);
    time = ttl - 1;
    expect(authorizer.authorize(ann, get)).toBe(first);
    await authorizer.authorize({ ...ann, name: 'bob' }, get);
    await authorizer.authorize(ann, { ...get, name: 'y' });
    expect(asked).toHaveLength(3);
    time = ttl;
    await authorizer.authorize(ann, get);
    expect(asked).toHaveLength(4);
  });

  it('does not cache large requests', async () => {
    const authorizer = authorizerWith(() => ({ allowed: true }));
    const huge = { ...get, name: 'x'.repeat(10_000) };
    await authorizer.authorize(ann, huge);
    await authorizer.authorize(ann, huge);
    expect(asked).toHaveLength(2);
  });
});
