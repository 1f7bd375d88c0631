import { type KeyObject, createHmac, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CompactSign } from 'jose';
import { AuthenticationError } from '../authenticator.js';
import { JwtAuthenticator } from '../jwt/jwt-authenticator.js';
import { compileJwtAuthenticators } from './jwt-authentication.js';
import { OidcIssuer } from './oidc-issuer.js';
import { SIGNING_ALGORITHMS } from './jwt-authenticator-config.js';
import { RemoteKeySet } from './remote-key-set.js';

const ISSUER = 'https://login.example.org';
const API = ['https://kubernetes.default.svc'];
const START = Date.parse('2030-01-01T00:00:00Z');

interface Pair {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}
const rsaPair = (kid: string): Pair => ({ kid, alg: 'RS256', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) });
const ecPair = (kid: string): Pair => ({ kid, alg: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });
const [first, second, stranger] = [rsaPair('first'), ecPair('second'), ecPair('stranger')];
const jwk = ({ publicKey, kid, alg }: Pair): object => ({ ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' });

let now = START;
let published: object[] = [];
let fetches = 0;
let reachable = true;
let discovered: Record<string, unknown> = {};
let authenticator: JwtAuthenticator;

beforeEach(() => {
  [now, published, fetches, reachable] = [START, [jwk(first)], 0, true];
  discovered = { issuer: ISSUER, jwks_uri: 'https://keys.example.org/jwks' };
  const keys = new RemoteKeySet({
    issuer: ISSUER,
    discoveryUrl: '',
    get: (url) => {
      if (!reachable) return Promise.reject(new Error('unreachable'));
      if (url === `${ISSUER}/.well-known/openid-configuration`) return Promise.resolve({ value: discovered });
      fetches++;
      return Promise.resolve({ value: { keys: published } });
    },
    now: () => now,
  });
  const { compiled } = compileJwtAuthenticators(
    [
      {
        issuer: { url: ISSUER, audiences: ['cluster', 'other'], audienceMatchPolicy: 'MatchAny' },
        claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
      },
    ],
    [],
  );
  const [{ mapper } = { mapper: undefined }] = compiled;
  if (!mapper) throw new Error('the configuration is not valid');
  const options = { audiences: ['cluster', 'other'], algorithms: [...SIGNING_ALGORITHMS], apiAudiences: API, now: () => now };
  authenticator = new JwtAuthenticator(new Map([[ISSUER, new OidcIssuer({ keys, mapper, ...options })]]), () => now);
});

const seconds = START / 1000;
const claims = { iss: ISSUER, aud: 'cluster', sub: 'ann', groups: ['dev'], exp: seconds + 3600, iat: seconds, jti: 'id-1' };
const signed = (change: object = {}, key = first, header: object = {}): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify({ ...claims, ...change })))
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey);
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function outcome(token: string, audiences = API): Promise<string | undefined> {
  try {
    return (await authenticator.authenticateToken(token, audiences))?.user.name;
  } catch (error) {
    if (error instanceof AuthenticationError) return error.message;
    throw error;
  }
}

describe("an issuer's token", () => {
  it("authenticates the user in its claims for the server's audiences", async () => {
    expect(await authenticator.authenticateToken(await signed(), API)).toEqual({
      user: { name: 'oidc:ann', uid: '', groups: ['oidc:dev'], extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'] } },
      audiences: API,
    });
  });

  it('may be for any of the configured audiences', async () => {
    expect(await outcome(await signed({ aud: ['x', 'other'] }))).toBe('oidc:ann');
    expect(await outcome(await signed({ aud: ['x'] }))).toContain('expected audience in ["cluster","other"] got ["x"]');
    expect(await outcome(await signed({ aud: undefined }))).toContain('expected audience');
    expect(await outcome(await signed(), ['elsewhere'])).toContain('is invalid for the target audiences');
  });

  it('expires at its time, even while it is cached', async () => {
    const token = await signed({ exp: seconds + 5 });
    expect(await outcome(token)).toBe('oidc:ann');
    now = START + 5000;
    expect(await outcome(token)).toContain('token is expired');
    expect(await outcome(await signed({ exp: undefined }))).toContain('token is expired');
    expect(await outcome(await signed({ exp: '9999999999' }))).toContain('token is expired');
  });

  it('is accepted up to five minutes before nbf', async () => {
    expect(await outcome(await signed({ nbf: seconds + 299 }))).toBe('oidc:ann');
    expect(await outcome(await signed({ nbf: seconds + 301 }))).toContain('not valid yet');
    expect(await outcome(await signed({ nbf: 'x' }))).toContain('not valid yet');
  });
});

describe('the keys of an issuer', () => {
  it('are fetched once for many tokens', async () => {
    await Promise.all(['a', 'b', 'c'].map(async (sub) => outcome(await signed({ sub }))));
    await outcome(await signed({ sub: 'd' }));
    expect(fetches).toBe(1);
  });

  it('may be rotated: a new key is fetched when a token names it, and the old key is no longer accepted', async () => {
    const old = await signed();
    expect(await outcome(old)).toBe('oidc:ann');
    published = [jwk(second)];
    expect(await outcome(await signed({}, second))).toBe('oidc:ann');
    now += 10_001;
    expect(await outcome(old)).toBe('oidc: verify token: failed to verify signature');
  });

  it('are accepted for at most five minutes after they are withdrawn', async () => {
    await outcome(await signed());
    published = [];
    now += 300_001;
    expect(await outcome(await signed())).toContain('failed to verify signature');
  });

  it('remain valid for a day while the issuer is unreachable', async () => {
    await outcome(await signed());
    reachable = false;
    now += 3_000_000;
    expect(await outcome(await signed())).toBe('oidc:ann');
    now += 86_400_000;
    expect(await outcome(await signed({ exp: now }))).toContain('fetching keys: unreachable');
  });

  it('are not fetched repeatedly because of tokens with unknown key ids', async () => {
    for (let at = 0; at < 20; at++) expect(await outcome(await signed({}, stranger, { kid: `k${at}` }))).toContain('failed to verify');
    expect(fetches).toBe(5);
    expect(await outcome(await signed())).toBe('oidc:ann');
    now += 10_000;
    published = [jwk(second)];
    expect(await outcome(await signed({}, second))).toBe('oidc:ann');
  });

  it('may be several and have no ids', async () => {
    published = [second, ecPair('x'), first].map((pair) => ({ ...jwk(pair), kid: undefined, alg: undefined }));
    expect(await outcome(await signed({}, second, { kid: undefined }))).toBe('oidc:ann');
    expect(await outcome(await signed({}, stranger, { kid: undefined }))).toContain('failed to verify');
  });

  it('are not accepted from a discovery document of another issuer', async () => {
    discovered = { ...discovered, issuer: 'https://evil.example.org' };
    expect(await outcome(await signed())).toContain('belongs to another issuer: "https://evil.example.org"');
  });
});

describe('a forged token of an issuer', () => {
  const hmac = (header: object, secret: string | Buffer): string => {
    const body = `${encoded(header)}.${encoded(claims)}`;
    return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
  };
  const forgeries: [string, () => string | Promise<string>][] = [
    ['without a signature', () => `${encoded({ alg: 'none', kid: 'first' })}.${encoded(claims)}.`],
    ['with an algorithm in another case', () => `${encoded({ alg: 'NONE' })}.${encoded(claims)}.`],
    [
      'signed by HMAC with the public key',
      () => hmac({ alg: 'HS256', kid: 'first' }, first.publicKey.export({ type: 'spki', format: 'pem' })),
    ],
    [
      'signed by HMAC with the modulus',
      () => hmac({ alg: 'HS256' }, Buffer.from(String(first.publicKey.export({ format: 'jwk' }).n), 'base64url')),
    ],
    ['signed with an unknown key under a known id', () => signed({}, { ...stranger, kid: 'first' })],
    ['signed with an unknown key', () => signed({}, stranger)],
    ['that contains its own key', () => signed({}, stranger, { jwk: jwk(stranger) })],
    [
      'that names the URL of its key',
      () => signed({}, stranger, { jku: 'https://evil.example.org/jwks', x5u: 'https://evil.example.org' }),
    ],
    ['with other claims', async () => (await signed()).replace(/\.[^.]+\./, `.${encoded({ ...claims, sub: 'admin' })}.`)],
    ['whose signature is truncated', async () => (await signed()).slice(0, -8)],
    ['whose key id is a path', () => signed({}, stranger, { kid: '../../dev/null' })],
    ['whose key id is SQL', () => signed({}, stranger, { kid: "x' UNION SELECT 'key'--" })],
  ];
  it.each(forgeries)('is refused: %s', async (_how, make) => {
    expect(await outcome(await make())).toBe('oidc: verify token: failed to verify signature');
  });

  it('cannot be signed with a symmetric key that the issuer publishes', async () => {
    published = [{ kty: 'oct', k: Buffer.from('secret').toString('base64url'), kid: 'first', alg: 'HS256' }];
    expect(await outcome(hmac({ alg: 'HS256', kid: 'first' }, 'secret'))).toContain('failed to verify signature');
  });

  it('is ignored if it names another issuer', async () => {
    expect(await outcome(await signed({ iss: `${ISSUER}/` }))).toBeUndefined();
    expect(await outcome(await signed({ iss: undefined }))).toBeUndefined();
  });
});
