import { describe, expect, it } from '@jest/globals';
import { FrontProxyAuthorizer, withoutProxy } from './front-proxy-authorizer.js';

const user = { name: 'ann', uid: '', groups: [], extra: {} };

describe('requests through a front proxy', () => {
  const authorizer = new FrontProxyAuthorizer();

  it('are allowed, because the proxy has authorized them', () => {
    expect(authorizer.authorize({ ...user, isProxied: true })).toMatchObject({ allowed: true });
  });

  it('are told from direct ones, which other authorizers decide', () => {
    expect(authorizer.authorize(user)).toEqual({ allowed: false });
  });

  it('are not allowed what the proxy was not asked', () => {
    expect(authorizer.authorize(withoutProxy({ ...user, isProxied: true }))).toEqual({ allowed: false });
  });
});
