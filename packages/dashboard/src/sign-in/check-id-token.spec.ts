import { expect, it, describe } from '@jest/globals';
import { checkIdToken } from './check-id-token.js';

const OFFER = { issuer: 'https://login.example', clientId: 'leases', scope: 'openid' };
const RIGHT = { iss: OFFER.issuer, aud: 'leases', nonce: 'n', name: 'Zoë' };
const tokenOf = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

describe('an ID token', () => {
  it.each([RIGHT, { ...RIGHT, aud: ['other', 'leases'] }])('of this sign-in is accepted: %j', (claims) => {
    expect(() => checkIdToken(tokenOf(claims), 'n', OFFER)).not.toThrow();
  });

  it.each([
    ['nonce', { ...RIGHT, nonce: 'x' }, 'another sign-in'],
    ['nonce, which is missing', { ...RIGHT, nonce: undefined }, 'another sign-in'],
    ['issuer', { ...RIGHT, iss: 'https://evil.example' }, 'another issuer'],
    ['client', { ...RIGHT, aud: 'other' }, 'another client'],
    ['clients', { ...RIGHT, aud: ['other'] }, 'another client'],
    ['claims', 'text', 'no valid ID token'],
  ])('with a wrong %s is refused', (_what, claims, text) => {
    expect(() => checkIdToken(tokenOf(claims), 'n', OFFER)).toThrow(text);
  });

  it.each(['', 'opaque', 'a.b', 'a.%.c', 'a.e30.c.d.e'])('%j is none', (token) => {
    expect(() => checkIdToken(token, 'n', OFFER)).toThrow('no valid ID token');
  });
});
