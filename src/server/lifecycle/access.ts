import type { Authenticator } from '../../auth/authentication/authenticator.js';
import { TokenVerifier } from '../../auth/authentication/token-verifier.js';
import type { Authorizer } from '../../auth/authorization/authorizer.js';
import { AlwaysAllowAuthorizer } from '../../auth/authorization/authorizer.js';
import { NodeAuthorizer } from '../../auth/authorization/node-authorizer.js';
import { PrivilegedGroupAuthorizer } from '../../auth/authorization/privileged-group-authorizer.js';
import { PolicyIndex } from '../../auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../auth/authorization/rbac/rbac-authorizer.js';
import { UnionAuthorizer } from '../../auth/authorization/union-authorizer.js';
import type { AuthorizationMode, ServerConfig } from '../config/server-config.js';
import { createTokenAuthenticator, withAnonymous } from './authentication.js';

/** Who gets in, and who may do what. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly tokens: TokenVerifier;
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  /** What `rbac` decides by; empty until it is fed, which is needed only if `usesRoles`. */
  readonly policy: PolicyIndex;
  readonly usesRoles: boolean;
  /** Whether nodes are held to their own leases. */
  readonly restrictsNodes: boolean;
}

/** The audience of tokens that are meant for this server (`--api-audiences` of kube-apiserver, as it is by default). */
const API_AUDIENCES = ['https://kubernetes.default.svc'];

export function createAccess(config: ServerConfig, adminToken: string): Access {
  const tokenAuthenticator = createTokenAuthenticator(config, adminToken);
  const policy = new PolicyIndex();
  const rbac = new RbacAuthorizer(policy);
  const modes = config.authorizationMode;
  return {
    authenticator: withAnonymous(config, tokenAuthenticator),
    tokens: new TokenVerifier(tokenAuthenticator, API_AUDIENCES),
    authorizer: createAuthorizer(modes, rbac),
    rbac,
    policy,
    usesRoles: modes.includes('RBAC'),
    restrictsNodes: modes.includes('Node'),
  };
}

/** The modes in their order, behind system:masters; AlwaysAllow alone needs no detour. */
function createAuthorizer(modes: readonly AuthorizationMode[], rbac: RbacAuthorizer): Authorizer {
  const byMode: Record<AuthorizationMode, () => Authorizer> = {
    AlwaysAllow: () => new AlwaysAllowAuthorizer(),
    Node: () => new NodeAuthorizer(),
    RBAC: () => rbac,
  };
  if (modes[0] === 'AlwaysAllow') return byMode.AlwaysAllow();
  return new UnionAuthorizer([new PrivilegedGroupAuthorizer(), ...modes.map((mode) => byMode[mode]())]);
}
