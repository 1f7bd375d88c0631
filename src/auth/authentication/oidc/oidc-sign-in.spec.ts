import { describe, expect, it } from '@jest/globals';
import { OidcSignIn } from './oidc-sign-in.js';
import type { SignInEndpoints } from './sign-in-endpoints.js';

const claimMappings = { username: { claim: 'sub', prefix: '' } };
const issuer = (url: string, ...audiences: string[]) => ({ issuer: { url, audiences }, claimMappings });
const endpoints: SignInEndpoints = { authorization: 'https://a/auth', token: 'https://a/token' };
const offering = (given: () => Promise<SignInEndpoints | undefined>) => ({ endpoints: given });

describe('the issuer at which users of the dashboard sign in', () => {
  it('is the one that accepts tokens for its client', () => {
    const signIn = new OidcSignIn({ clientId: 'ui', scopes: ['email', 'openid'] });
    signIn.choose([issuer('https://a', 'cluster'), issuer('https://b', 'cluster', 'ui')], new Map());
    expect(signIn.terms).toEqual({ issuer: 'https://b', clientId: 'ui', scope: 'openid email' });
  });

  it('must be one', () => {
    const signIn = new OidcSignIn({ clientId: 'ui', scopes: [] });
    const both = [issuer('https://a', 'ui'), issuer('https://b', 'ui')];
    expect(() => signIn.choose([issuer('https://a', 'cluster')], new Map())).toThrow('--ui-oidc-client-id=ui is not among the audiences');
    expect(() => signIn.choose(both, new Map())).toThrow('several JWT issuers: https://a, https://b');
  });

  it('stays the chosen one if a changed configuration cannot be used', () => {
    const signIn = new OidcSignIn({ clientId: 'ui', scopes: [] });
    signIn.choose([issuer('https://a', 'ui')], new Map());
    expect(() => signIn.choose([], new Map())).toThrow();
    expect(signIn.terms.issuer).toBe('https://a');
  });
});

describe("the issuer's endpoints", () => {
  it('are the last known ones while it does not respond, but not those of another issuer', async () => {
    let answer: Promise<SignInEndpoints | undefined> = Promise.resolve(endpoints);
    const signIn = new OidcSignIn({ clientId: 'ui', scopes: [] });
    signIn.choose([issuer('https://a', 'ui')], new Map([['https://a', offering(() => answer)]]));
    expect(await signIn.endpoints()).toEqual(endpoints);
    answer = Promise.reject(new Error('unreachable'));
    expect(await signIn.endpoints()).toEqual(endpoints);
    signIn.choose([issuer('https://b', 'ui')], new Map([['https://b', offering(() => answer)]]));
    await expect(signIn.endpoints()).rejects.toThrow('unreachable');
  });

  it('must be named by its configuration', async () => {
    const signIn = new OidcSignIn({ clientId: 'ui', scopes: [] });
    signIn.choose([issuer('https://a', 'ui')], new Map([['https://a', offering(() => Promise.resolve(undefined))]]));
    await expect(signIn.endpoints()).rejects.toThrow('the configuration of https://a names no https authorization_endpoint');
  });
});
