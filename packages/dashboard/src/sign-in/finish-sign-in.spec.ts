import { describe, expect, it } from '@jest/globals';
import { checkIdToken, grantedSignIn, parseAnswer } from './finish-sign-in.js';

describe('an ID token', () => {
  const OFFER = { issuer: 'https://login.example', clientId: 'leases', scope: 'openid' };
  const RIGHT = { iss: OFFER.issuer, aud: 'leases', nonce: 'n', name: 'Zoë' };
  const tokenOf = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

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

{
  const OFFER = { issuer: 'https://login.example', clientId: 'leases', scope: 'openid' };
  const PENDING = { state: 'mine', nonce: 'n', verifier: 'v', hash: '' };

  describe('the answer in the address', () => {
    it.each(['', '?', '?key=x', '?state=mine'])('is absent from %j', (search) => {
      expect(parseAnswer(search)).toBeUndefined();
    });

    it('contains a code, or an error', () => {
      expect(parseAnswer('?code=c&state=s&iss=https%3A%2F%2Fa')).toMatchObject({ code: 'c', state: 's', issuer: 'https://a', error: null });
      expect(parseAnswer('?error=access_denied&error_description=No+way')).toMatchObject({ error: 'access_denied', description: 'No way' });
    });
  });

  describe('an answer', () => {
    const granted = (search: string, pending: typeof PENDING | undefined = PENDING) => {
      const answer = parseAnswer(search);
      if (!answer) throw new Error('no answer');
      return grantedSignIn(answer, pending, OFFER);
    };

    it('grants the sign-in that the tab has begun', () => {
      expect(granted('?code=c&state=mine')).toEqual({ code: 'c', pending: PENDING });
      expect(granted('?code=c&state=mine&iss=https%3A%2F%2Flogin.example').code).toBe('c');
    });

    it.each([
      ['with another state', '?code=c&state=yours', 'did not begin'],
      ['without a state', '?code=c', 'did not begin'],
      ['with an error and another state, which may be made up', '?error=call_us&state=yours', 'did not begin'],
      ['of another issuer', '?code=c&state=mine&iss=https%3A%2F%2Fevil.example', 'Another issuer'],
      ['that is an error', '?error=access_denied&error_description=No+way&state=mine', 'The sign-in was refused: No way (access_denied)'],
      ['that is an error without a description', '?error=server_error&state=mine', 'The sign-in was refused: server_error'],
      ['that is an error with a code', '?error=server_error&code=c&state=mine', 'The sign-in was refused: server_error'],
    ])('%s is refused', (_what, search, text) => {
      expect(() => granted(search)).toThrow(text);
    });

    it('is refused if the tab has begun no sign-in', () => {
      const answer = { code: 'c', error: null, description: null, state: null, issuer: null };
      expect(() => grantedSignIn(answer, undefined, OFFER)).toThrow('did not begin');
    });
  });
}
