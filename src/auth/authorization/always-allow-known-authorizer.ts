import { ANONYMOUS } from '../authentication/well-known-users.js';
import type { UserInfo } from '../../registry/request-context.js';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.js';

/** What the ClusterRole system:public-info-viewer lets everybody read (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go). */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Allows known users everything, and anonymous ones what is public: what RBAC mode means as long as there are no roles. */
export class AlwaysAllowKnownAuthorizer implements Authorizer {
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision {
    if (user.name !== ANONYMOUS.name) return { allowed: true };
    return { allowed: !attributes.isResourceRequest && attributes.verb === 'get' && PUBLIC_PATHS.has(attributes.path) };
  }
}
