import { describe, expect, it } from '@jest/globals';
import { type Authorizer, type Decision, type NamedAuthorizer, AuthorizationError } from './authorizer.js';
import { RequestAuthorizer, UnionAuthorizer } from './request-authorizer.js';

describe('RequestAuthorizer', () => {
  const user = { name: 'ann', uid: '', groups: [], extra: {} };
  const target = {
    apiGroup: 'coordination.k8s.io',
    apiVersion: 'v1',
    namespace: 'default',
    resource: 'leases',
    subresource: '',
    name: 'a',
  };
  const info = { isResourceRequest: true, verb: 'update', path: '', ...target };

  const always = (decision: Decision | Promise<Decision>): Authorizer => ({ authorize: () => decision });
  const nobody = always({ allowed: false });
  const proxied = { user, info, isAuthorizedByProxy: true };
  const direct = { user, info, isAuthorizedByProxy: false };

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

describe('UnionAuthorizer', () => {
  const user = { name: 'ann', uid: '', groups: [], extra: {} };
  const says = (decision: Decision | Promise<Decision>, name = 'x'): NamedAuthorizer => ({ name, authorize: () => decision });
  const ask = (...authorizers: NamedAuthorizer[]) => new UnionAuthorizer(authorizers).authorize(user, {} as never);

  it('returns the first decision that allows or denies', () => {
    expect(ask(says({ allowed: false }), says({ allowed: true, reason: 'second' }))).toEqual({ allowed: true, reason: 'second' });
    expect(ask(says({ allowed: false, denied: true, reason: 'no' }), says({ allowed: true }))).toMatchObject({ allowed: false });
  });

  it('refuses what no authorizer allows, with all reasons and whose they are', () => {
    expect(ask(says({ allowed: false, reason: 'a' }), says({ allowed: false }), says({ allowed: false, reason: 'b' }, 'y'))).toEqual({
      allowed: false,
      reason: 'x: a\ny: b',
    });
    expect(ask(says({ allowed: false, reason: 'a' }), says({ allowed: false, denied: true, reason: 'b' }))).toMatchObject({ reason: 'b' });
    expect(ask()).toEqual({ allowed: false });
  });

  it('denies with an error when every authorizer abstains and at least one failed', () => {
    const broken = says({ allowed: false, error: new AuthorizationError('down') });
    expect(ask(broken, says({ allowed: true }))).toEqual({ allowed: true });
    expect(ask(broken, says({ allowed: false, reason: 'a' }))).toEqual({
      allowed: false,
      reason: 'x: a',
      error: new AuthorizationError('down'),
    });
    expect(ask(broken, says({ allowed: false, error: new AuthorizationError('lost') }), broken)).toMatchObject({
      error: new AuthorizationError('[down, lost]'),
    });
  });

  it('waits only for authorizers that need time', async () => {
    expect(await ask(says(Promise.resolve({ allowed: false, reason: 'a' })), says({ allowed: true }))).toEqual({ allowed: true });
    expect(ask(says({ allowed: true }))).not.toBeInstanceOf(Promise);
  });
});
