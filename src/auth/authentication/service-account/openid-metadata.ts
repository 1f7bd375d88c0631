import type { TokenKey } from './token-key.js';

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
