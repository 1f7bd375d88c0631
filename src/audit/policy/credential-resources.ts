import type { AuthorizationAttributes } from '../../auth/authorization/authorizer.js';

/**
 * Whether what is sent or answered here contains tokens: upstream leaves it to the policy to keep them out of the log, here they never
 * get there.
 */
export function carriesCredentials({ isResourceRequest, apiGroup, resource, subresource }: AuthorizationAttributes): boolean {
  if (!isResourceRequest) return false;
  if (apiGroup === 'authentication.k8s.io') return resource === 'tokenreviews';
  return apiGroup === '' && (resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token'));
}
