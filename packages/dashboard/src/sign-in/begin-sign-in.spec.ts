import { expect, test } from '@jest/globals';
import { authorizationUrl } from './begin-sign-in.js';

test("the issuer's own parameters are kept, and those of the sign-in replace others", async () => {
  const offer = { issuer: 'https://login.example', clientId: 'a&b', scope: 'openid email' };
  const pending = { state: 's', nonce: 'n', verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', hash: '#/server' };
  const url = await authorizationUrl(offer, 'https://login.example/auth?p=1&state=x', pending, 'https://leases.example/ui/');
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    p: '1',
    response_type: 'code',
    client_id: 'a&b',
    redirect_uri: 'https://leases.example/ui/',
    scope: 'openid email',
    state: 's',
    nonce: 'n',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
});
