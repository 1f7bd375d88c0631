import { hostname } from 'node:os';
import { isWildcard } from './bind-address.js';
import { isIPv6 } from 'node:net';
import { isDiscoverable, jsonWebKeySet, openIdConfiguration } from '../../auth/authentication/service-account/openid-metadata.js';
import type { ServedDocument } from '../../endpoints/response/served-document.js';
import type { AuthSettings } from '../../auth/auth.settings.js';
import type { ProcessSettings } from '../config/process.settings.js';
import type { ServiceAccountTokens } from '../../auth/authentication/service-account/service-account-tokens.js';

const JWKS_PATH = '/openid/v1/jwks';
const PUBLIC = { 'cache-control': 'public, max-age=3600' };

/** The documents by which others verify tokens of service accounts; none if the issuer is not a URL that could serve them. */
export function openIdDocuments(config: AuthSettings & ProcessSettings, { issuers, keys }: ServiceAccountTokens): ServedDocument[] {
  const [issuer = ''] = issuers;
  if (!isDiscoverable(issuer)) return [];
  const host = publicHost(config);
  const jwksUri = (port: number): string => config.serviceAccountJwksUri || `https://${host}:${port}${JWKS_PATH}`;
  const keySet = jsonWebKeySet(keys);
  return [
    {
      path: '/.well-known/openid-configuration',
      mediaType: 'application/json',
      headers: PUBLIC,
      body: (port) => openIdConfiguration({ issuer, jwksUri: jwksUri(port), keys }),
      operation: {
        id: 'getServiceAccountIssuerOpenIDConfiguration',
        tag: 'WellKnown',
        description: "Where the keys of service accounts' tokens are.",
      },
    },
    {
      path: JWKS_PATH,
      mediaType: 'application/jwk-set+json',
      headers: PUBLIC,
      body: () => keySet,
      operation: {
        id: 'getServiceAccountIssuerOpenIDKeyset',
        tag: 'openid',
        description: "The keys that service accounts' tokens are verified with.",
      },
    },
  ];
}

/** The name by which other machines most likely reach this one; the generated certificate covers it. */
function publicHost({ bindAddress, tlsSan: [given] }: ProcessSettings): string {
  const host = given ?? (isWildcard(bindAddress) ? hostname() : bindAddress);
  return isIPv6(host) ? `[${host}]` : host;
}
