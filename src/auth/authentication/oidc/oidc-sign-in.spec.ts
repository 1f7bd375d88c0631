import { describe, expect, it } from '@jest/globals';
import { type SignInEndpoints, OidcSignIn, signInEndpoints } from './oidc-sign-in.js';

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

const GOOD = { authorization_endpoint: 'https://a.example/auth?p=1', token_endpoint: 'https://a.example/token' };

describe("an issuer's endpoints", () => {
  it('are those of its discovery document', () => {
    expect(signInEndpoints(GOOD)).toEqual({ authorization: GOOD.authorization_endpoint, token: GOOD.token_endpoint });
  });

  it.each([
    'http://a.example/token',
    'javascript:alert(1)',
    '/token',
    'https://u:p@a.example/token',
    'https://a.example/#x',
    '',
    7,
    undefined,
  ])('must be https URLs, unlike %j', (value) => {
    expect(signInEndpoints({ ...GOOD, token_endpoint: value })).toBeUndefined();
    expect(signInEndpoints({ ...GOOD, authorization_endpoint: value })).toBeUndefined();
  });
});
