import type { Authorizer } from '../../auth/authorization/authorizer.js';
import { AlwaysAllowAuthorizer } from '../../auth/authorization/authorizer.js';
import { NodeAuthorizer } from '../../auth/authorization/node-authorizer.js';
import { PrivilegedGroupAuthorizer } from '../../auth/authorization/privileged-group-authorizer.js';
import { PolicyIndex } from '../../auth/authorization/rbac/policy-index.js';
import { RbacAuthorizer } from '../../auth/authorization/rbac/rbac-authorizer.js';
import { UnionAuthorizer } from '../../auth/authorization/union-authorizer.js';
import { systemClock } from '../../telemetry/clock.js';
import type { AccessConfig, AuthorizationMode } from '../config/access-config.js';
import type { Authentication, AuthenticationSources } from './authentication.js';
import { createAuthentication } from './authentication.js';
import { webhookAuthorizer } from './webhooks.js';

/** Who gets in, and who may do what. */
export interface Access extends Authentication {
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  /** What `rbac` decides by; empty until it is fed, which is needed only if `usesRoles`. */
  readonly policy: PolicyIndex;
  readonly usesRoles: boolean;
  /** Whether all requests are allowed. */
  readonly allowsEverything: boolean;
  /** Whether nodes are held to their own leases. */
  readonly restrictsNodes: boolean;
}

/** StartError when a file that is named in the configuration cannot be used. */
export function createAccess(sources: AuthenticationSources): Access {
  const policy = new PolicyIndex();
  const rbac = new RbacAuthorizer(policy);
  const modes = sources.config.authorizationMode;
  return {
    ...createAuthentication(sources),
    authorizer: createAuthorizer(sources.config, rbac),
    rbac,
    policy,
    usesRoles: modes.includes('RBAC'),
    allowsEverything: modes[0] === 'AlwaysAllow',
    restrictsNodes: modes.includes('Node'),
  };
}

/** The modes in their order, behind system:masters; AlwaysAllow alone needs no detour. */
function createAuthorizer(config: AccessConfig, rbac: RbacAuthorizer): Authorizer {
  const modes = config.authorizationMode;
  const byMode: Record<AuthorizationMode, () => Authorizer> = {
    AlwaysAllow: () => new AlwaysAllowAuthorizer(),
    Node: () => new NodeAuthorizer(),
    RBAC: () => rbac,
    Webhook: () => webhookAuthorizer(config, systemClock),
  };
  if (modes[0] === 'AlwaysAllow') return byMode.AlwaysAllow();
  return new UnionAuthorizer([new PrivilegedGroupAuthorizer(), ...modes.map((mode) => byMode[mode]())]);
}
