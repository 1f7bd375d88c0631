import { describe, expect, it } from '@jest/globals';
import type { Authorizer, Decision } from './authorizer.js';
import { RequestAuthorizer } from './request-authorizer.js';

const user = { name: 'ann', uid: '', groups: [], extra: {} };
const target = { apiGroup: 'coordination.k8s.io', apiVersion: 'v1', namespace: 'default', resource: 'leases', subresource: '', name: 'a' };
const info = { isResourceRequest: true, verb: 'update', path: '', ...target };

const always = (decision: Decision | Promise<Decision>): Authorizer => ({ authorize: () => decision });
const nobody = always({ allowed: false });
const proxied = { user, info, isAuthorizedByProxy: true };
const direct = { user, info, isAuthorizedByProxy: false };

describe('RequestAuthorizer', () => {
  it('allows what a front proxy has authorized, and leaves other requests to the authorizers', () => {
    const authorizer = new RequestAuthorizer(nobody, nobody);
    expect(authorizer.authorize(proxied)).toEqual({ allowed: true });
    expect(authorizer.authorize(direct)).toEqual({ allowed: false });
  });

  it('leaves all requests to the authorizers without the mode FrontProxy', () => {
    expect(new RequestAuthorizer(nobody).authorize(proxied)).toEqual({ allowed: false });
  });

  it('asks modes that precede FrontProxy first, whose denial is final', async () => {
    const denied = { allowed: false, denied: true, reason: 'no' } as const;
    const failed = { allowed: false, error: new Error('timeout') } as const;
    expect(new RequestAuthorizer(nobody, always(denied)).authorize(proxied)).toBe(denied);
    expect(await new RequestAuthorizer(nobody, always(Promise.resolve(denied))).authorize(proxied)).toBe(denied);
    expect(new RequestAuthorizer(nobody, always(failed)).authorize(proxied)).toEqual({ allowed: true });
    expect(new RequestAuthorizer(nobody, always({ allowed: true, reason: 'role' })).authorize(proxied)).toMatchObject({ reason: 'role' });
  });
});
