import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';

/**
 * Whether bodies of this resource contain tokens. Upstream relies on the policy to keep them out of the log; this server never records
 * them.
 */
export function carriesCredentials({ isResourceRequest, apiGroup, resource, subresource }: AuthorizationAttributes): boolean {
  if (!isResourceRequest) return false;
  if (apiGroup === 'authentication.k8s.io') return resource === 'tokenreviews';
  return apiGroup === '' && (resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token'));
}
