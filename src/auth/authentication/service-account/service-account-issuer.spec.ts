import { createHmac, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CompactSign } from 'jose';
import { AuthenticationError } from '../authenticator.js';
import { JwtAuthenticator } from '../jwt/jwt-authenticator.js';
import { type ReadServiceAccount, ServiceAccountIndex, ServiceAccountIssuer } from './service-account-issuer.js';
import { ServiceAccountTokenIssuer } from './service-account-tokens.js';
import { type SigningKey, parseSigningKey } from './token-key.js';

const ISSUER = 'https://kubernetes.default.svc';
const HERE = [ISSUER];
const account = { namespace: 'ns', name: 'robot', uid: 'uid-1' };
const START = Date.parse('2030-01-01T00:00:00Z');

const pem = (type: 'rsa' | 'P-256'): string => {
  const { privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: type });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
};
const rsa = parseSigningKey(pem('rsa'));
const ec = parseSigningKey(pem('P-256'));
const stranger = parseSigningKey(pem('P-256'));

let now = START;
let index = new ServiceAccountIndex();
let authenticator: JwtAuthenticator;

beforeEach(() => {
  now = START;
  index = new ServiceAccountIndex();
  index.set('ns', 'robot', { uid: 'uid-1' });
  const issuer = new ServiceAccountIssuer({ keys: [rsa, ec], audiences: HERE, accounts: index, now: () => now });
  authenticator = new JwtAuthenticator(new Map([[ISSUER, issuer]]), () => now);
});

const wish = { account, audiences: HERE, expirationSeconds: 600, id: 'some-id', now: START };
const issued = (key: SigningKey = rsa, change: Partial<typeof wish> = {}): Promise<string> =>
  new ServiceAccountTokenIssuer(ISSUER, key).issue({ ...wish, ...change });
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part = ''): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
const signed = (claims: object, header: object = { alg: 'RS256', kid: rsa.id }, { privateKey } = rsa): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header as { alg: string }).sign(privateKey);

async function refusal(token: string, audiences: readonly string[] = HERE): Promise<string | undefined> {
  try {
    return (await authenticator.authenticateToken(token, audiences)) && 'accepted';
  } catch (error) {
    if (error instanceof AuthenticationError) return error.message;
    throw error;
  }
}

describe('a token of a service account', () => {
  it('authenticates its account, with the groups of service accounts and the id of the token', async () => {
    const token = await issued();
    const jti = decoded(token.split('.')[1])['jti'] as string;
    expect(await authenticator.authenticateToken(token, HERE)).toEqual({
      user: {
        name: 'system:serviceaccount:ns:robot',
        uid: 'uid-1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
      },
      audiences: HERE,
    });
  });

  it("names its key and has upstream's claims", async () => {
    const [header, claims] = (await issued(ec)).split('.', 2).map(decoded);
    expect(header).toEqual({ alg: 'ES256', kid: ec.id });
    const seconds = START / 1000;
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: HERE,
      sub: 'system:serviceaccount:ns:robot',
      iat: seconds,
      nbf: seconds,
      exp: seconds + 600,
    });
    expect(claims?.['kubernetes.io']).toEqual({ namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-1' } });
  });

  it('is answered from the cache with the same user', async () => {
    const token = await issued();
    const first = await authenticator.authenticateToken(token, HERE);
    const again = authenticator.authenticateToken(token, HERE);
    expect(again).not.toBeInstanceOf(Promise);
    expect((again as typeof first)?.user).toBe(first?.user);
  });

  it('is valid for any of its audiences and for no other', async () => {
    const token = await issued(rsa, { audiences: ['a', 'b'] });
    expect(await authenticator.authenticateToken(token, ['b', 'c'])).toMatchObject({ audiences: ['b'] });
    expect(await refusal(token)).toBe(`token audiences ["a" "b"] is invalid for the target audiences ["${ISSUER}"]`);
  });

  it('expires even while it is cached', async () => {
    const token = await issued();
    now = START + 659_000;
    expect(await refusal(token)).toBe('accepted');
    now = START + 661_000;
    expect(await refusal(token)).toBe('service account token has expired');
  });

  it('is refused before its time', async () => {
    const token = await issued();
    now = START - 61_000;
    expect(await refusal(token)).toBe('service account token is not valid yet');
  });

  it('becomes invalid with the deletion of its account, immediately and permanently', async () => {
    const token = await issued();
    expect(await refusal(token)).toBe('accepted');
    index.delete('ns', 'robot');
    expect(await refusal(token)).toBe('serviceaccounts "robot" not found');
    index.set('ns', 'robot', { uid: 'uid-2' });
    expect(await refusal(token)).toBe('serviceaccounts "robot" not found');
  });

  it('is not valid for a later account of the same name', async () => {
    index.readFrom(() => Promise.resolve({ uid: 'uid-2' }));
    index.set('ns', 'robot', { uid: 'uid-2' });
    expect(await refusal(await issued())).toBe('service account UID (uid-2) does not match claim (uid-1)');
  });

  it('remains valid for a minute after its account was marked for deletion', async () => {
    const marked = { uid: 'uid-1', deletedAt: START };
    index.readFrom(() => Promise.resolve(marked));
    index.set('ns', 'robot', marked);
    const token = await issued();
    now = START + 59_000;
    expect(await refusal(token)).toBe('accepted');
    now = START + 61_000;
    expect(await refusal(token)).toBe('service account ns/robot has been deleted');
  });

  it('is checked in the store if the index does not know its account yet', async () => {
    index.delete('ns', 'robot');
    const read = jest.fn<ReadServiceAccount>(() => Promise.resolve({ uid: 'uid-1' }));
    index.readFrom(read);
    expect(await refusal(await issued())).toBe('accepted');
    expect(read).toHaveBeenCalledWith('ns', 'robot');
  });
});

describe('a forged token', () => {
  const claims = {
    iss: ISSUER,
    aud: HERE,
    exp: START / 1000 + 600,
    sub: 'system:serviceaccount:ns:robot',
    'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-1' } },
  };
  const hmac = (header: object, secret: string | Buffer): string => {
    const body = `${encoded(header)}.${encoded(claims)}`;
    return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
  };
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();

  it('is recognized by its signature alone', async () => expect(await refusal(await signed(claims))).toBe('accepted'));

  const forgeries: [string, () => string | Promise<string>, string][] = [
    ['without a signature', () => `${encoded({ alg: 'none' })}.${encoded(claims)}.`, 'invalid signature'],
    ['without a signature, for a known key', () => `${encoded({ alg: 'none', kid: rsa.id })}.${encoded(claims)}.`, 'invalid signature'],
    ['signed by HMAC with the public key as PEM', () => hmac({ alg: 'HS256', kid: rsa.id }, publicPem), 'invalid signature'],
    [
      'signed by HMAC with the public key as DER',
      () => hmac({ alg: 'HS256' }, rsa.publicKey.export({ type: 'spki', format: 'der' })),
      'invalid signature',
    ],
    ['signed with an unknown key', () => signed(claims, { alg: 'ES256' }, stranger), 'invalid signature'],
    ['signed with an unknown key under a known id', () => signed(claims, { alg: 'ES256', kid: ec.id }, stranger), 'invalid signature'],
    ['signed with an unknown key under its own id', () => signed(claims, { alg: 'ES256', kid: stranger.id }, stranger), 'no keys found'],
    ['with another algorithm for the same key', () => signed(claims, { alg: 'PS256', kid: rsa.id }), 'invalid signature'],
    ['whose key id is a path', () => signed(claims, { alg: 'RS256', kid: '../../../../dev/null' }), 'no keys found'],
    ['whose key id is a JavaScript property', () => signed(claims, { alg: 'RS256', kid: '__proto__' }), 'no keys found'],
    ['whose key id is not a string', () => signed(claims, { alg: 'RS256', kid: { toString: 1 } }), 'no keys found'],
    [
      'that contains its own key',
      () => signed(claims, { alg: 'ES256', jwk: stranger.publicKey.export({ format: 'jwk' }) }, stranger),
      'invalid signature',
    ],
    [
      'with an unknown critical header',
      async () => {
        const token = await signed(claims);
        return `${encoded({ alg: 'RS256', kid: rsa.id, crit: ['x'], x: 1 })}.${token.split('.').slice(1).join('.')}`;
      },
      'invalid signature',
    ],
    [
      'with other claims under a real signature',
      async () => {
        const [header, , signature] = (await issued()).split('.');
        return `${header}.${encoded({ ...claims, sub: 'system:serviceaccount:kube-system:admin' })}.${signature}`;
      },
      'invalid signature',
    ],
    ['bound to a pod', () => signed({ ...claims, 'kubernetes.io': { ...claims['kubernetes.io'], pod: { name: 'p' } } }), 'invalidated'],
    ['without an account', () => signed({ ...claims, 'kubernetes.io': null }), 'could not be validated'],
    ['whose expiry is not a number', () => signed({ ...claims, exp: '9999999999' }), 'expired'],
    ['issued in the future', () => signed({ ...claims, iat: START / 1000 + 61 }), 'in the future'],
  ];
  it.each(forgeries)('is refused: %s', async (_how, make, text) => {
    expect(await refusal(await make())).toContain(text);
  });

  const others: [string, () => string | Promise<string>][] = [
    ['has another issuer', () => signed({ ...claims, iss: 'https://elsewhere' })],
    ['has a list of issuers', () => signed({ ...claims, iss: [ISSUER] })],
    ['has four parts', async () => `${await issued()}.x`],
    ['has one part', () => 'x'.repeat(100)],
    ['is in JSON form', async () => JSON.stringify({ payload: (await issued()).split('.')[1] })],
    ['is padded', async () => (await issued()).replace('.', '=.')],
    ['ends with a line break', async () => `${await issued()}\n`],
    ['has a header that is not JSON', async () => (await issued()).replace(/^[^.]+/, 'eyJ')],
    ['is huge', () => `${encoded({ alg: 'RS256' })}.${encoded({ ...claims, pad: 'x'.repeat(70_000) })}.x`],
  ];
  it.each(others)('is ignored if it %s', async (_how, make) => {
    expect(await refusal(await make())).toBeUndefined();
  });
});
