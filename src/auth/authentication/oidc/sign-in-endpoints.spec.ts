import { expect, it, describe } from '@jest/globals';
import { signInEndpoints } from './sign-in-endpoints.js';

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
