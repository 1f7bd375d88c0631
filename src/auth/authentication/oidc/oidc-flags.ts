import type { JwtAuthenticatorConfig } from './jwt-authenticator-config.js';
import type { AuthSettings } from '../../auth.settings.js';
import { StartError } from '../../../settings/start-error.js';
import { readGivenFile } from '../../../settings/read-given-file.js';

/** Converts the `--oidc-` flags to the configuration that a file would contain (kubeapiserver/options/authentication.go). */
export function oidcFlags(config: AuthSettings): JwtAuthenticatorConfig[] {
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

function isAnyGiven({ oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix, oidcRequiredClaim, oidcCaFile }: AuthSettings): boolean {
  return [oidcUsernamePrefix, oidcGroupsClaim, oidcGroupsPrefix, oidcCaFile].some((text) => text !== '') || oidcRequiredClaim.length > 0;
}

/** User names of different issuers cannot collide unless the prefix is disabled explicitly. */
function usernamePrefix({ oidcUsernamePrefix: prefix, oidcUsernameClaim: claim, oidcIssuerUrl }: AuthSettings): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${oidcIssuerUrl}#` : prefix;
}
