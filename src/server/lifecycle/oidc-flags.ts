import type { JwtAuthenticatorConfig } from '../../auth/authentication/oidc/jwt-authenticator-config.js';
import type { JwtConfig } from '../config/jwt-config.js';
import { StartError } from '../start-error.js';
import { readGivenFile } from './read-given-file.js';

/** What the `--oidc-` flags say, as the configuration file would (kubeapiserver/options/authentication.go). */
export function oidcFlags(config: JwtConfig): JwtAuthenticatorConfig[] {
  const { oidcIssuerUrl: url, oidcClientId: clientId } = config;
  if ((url === '') !== (clientId === '') || (url === '' && isAnyGiven(config))) {
    throw new StartError('--oidc-issuer-url and --oidc-client-id must be given together when any --oidc- flag is given');
  }
  if (url === '') return [];
  const { oidcUsernameClaim: claim, oidcGroupsClaim: groups, oidcGroupsPrefix, oidcRequiredClaim, oidcCaFile } = config;
  return [
    {
      issuer: {
        url,
        audiences: [clientId],
        ...(oidcCaFile === '' ? {} : { certificateAuthority: readGivenFile('--oidc-ca-file', oidcCaFile) }),
      },
      claimMappings: {
        username: { claim, prefix: usernamePrefix(config) },
        ...(groups === '' ? {} : { groups: { claim: groups, prefix: oidcGroupsPrefix } }),
      },
      claimValidationRules: oidcRequiredClaim.map((text) => {
        const at = text.indexOf('=');
        return { claim: text.slice(0, at), requiredValue: text.slice(at + 1) };
      }),
    },
  ];
}

function isAnyGiven({ oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix, oidcRequiredClaim, oidcCaFile }: JwtConfig): boolean {
  return [oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix, oidcCaFile].some((text) => text !== '') || oidcRequiredClaim.length > 0;
}

/** Names of several issuers cannot collide unless somebody says that they may. */
function usernamePrefix({ oidcUsernamePrefix: prefix, oidcUsernameClaim: claim, oidcIssuerUrl }: JwtConfig): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${oidcIssuerUrl}#` : prefix;
}
