import { type KeyObject, createHash, createPrivateKey, createPublicKey } from 'node:crypto';

/** A key that tokens of service accounts are verified with. */
export interface TokenKey {
  /** Derived from the public key, so that every server computes the same (kubernetes pkg/serviceaccount keyIDFromPublicKey). */
  readonly id: string;
  /** The only algorithm it is used with. */
  readonly algorithm: string;
  readonly publicKey: KeyObject;
}

/** A key that also signs tokens. */
export interface SigningKey extends TokenKey {
  readonly privateKey: KeyObject;
}

/** PEM text without a usable key; the message is for the operator. */
export class TokenKeyError extends Error {}

const EC_ALGORITHMS: ReadonlyMap<string, string> = new Map(Object.entries({ prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }));
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g;
const MIN_RSA_BITS = 2048;

/** Parses PEM blocks with public or private RSA and EC keys, or certificates. Throws TokenKeyError. */
export function parseTokenKeys(pem: string): TokenKey[] {
  const keys: TokenKey[] = [];
  for (const [block, label = ''] of pem.matchAll(BLOCK)) {
    if (label !== 'EC PARAMETERS') keys.push(tokenKey(reading(() => createPublicKey(block))));
  }
  if (keys.length === 0) throw new TokenKeyError('it contains no PEM-encoded key');
  return keys;
}

/** Parses a PEM private key. Throws TokenKeyError. */
export function parseSigningKey(pem: string): SigningKey {
  const privateKey = reading(() => createPrivateKey(pem));
  return { ...tokenKey(createPublicKey(privateKey)), privateKey };
}

function reading(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    throw new TokenKeyError(`it contains no usable key: ${(error as Error).message}`);
  }
}

function tokenKey(publicKey: KeyObject): TokenKey {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), algorithm: algorithmOf(publicKey), publicKey };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') {
    if ((asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS) return 'RS256';
    throw new TokenKeyError(`an RSA key must have at least ${MIN_RSA_BITS} bits`);
  }
  const algorithm = asymmetricKeyType === 'ec' ? EC_ALGORITHMS.get(asymmetricKeyDetails?.namedCurve ?? '') : undefined;
  if (algorithm === undefined) throw new TokenKeyError('the key must be RSA, or EC on the curve P-256, P-384 or P-521');
  return algorithm;
}

export interface OpenIdMetadata {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly keys: readonly TokenKey[];
}

/** Whether the issuer supports OpenID Connect Discovery, which requires an https URL without query and fragment. */
export function isDiscoverable(issuer: string): boolean {
  return /^https:\/\/[^?#\s]+$/.test(issuer) && URL.canParse(issuer);
}

/** /.well-known/openid-configuration, which locates the keys of tokens (kubernetes pkg/serviceaccount/openidmetadata.go). */
export function openIdConfiguration({ issuer, jwksUri, keys }: OpenIdMetadata): string {
  return JSON.stringify({
    issuer,
    jwks_uri: jwksUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
  });
}

/** /openid/v1/jwks: the keys. */
export function jsonWebKeySet(keys: readonly TokenKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ id, algorithm, publicKey }) => {
      const { kty, ...parameters } = publicKey.export({ format: 'jwk' });
      return { use: 'sig', kty, kid: id, alg: algorithm, ...parameters };
    }),
  });
}
