import type { Authenticator } from './authentication/authenticator.js';
import type { OidcSignIn } from './authentication/oidc/oidc-sign-in.js';
import type { ServiceAccountTokens } from './authentication/service-account/service-account-tokens.js';
import type { TokenVerifier } from './authentication/bearer-authenticator.js';
import type { ClientAuthorities } from './authentication/x509/certificate-verifier.js';
import {
  type AuthorizationRules,
  type Authorizer,
  type NamedAuthorizer,
  AlwaysAllowAuthorizer,
  PrivilegedGroupAuthorizer,
} from './authorization/authorizer.js';
import { NodeAuthorizer } from './authorization/node-authorizer.js';
import { PolicyIndex } from './authorization/rbac/policy-index.js';
import { RbacAuthorizer } from './authorization/rbac/rbac-authorizer.js';
import { RequestAuthorizer, UnionAuthorizer } from './authorization/request-authorizer.js';
import type { Clock } from '../telemetry/clock.js';
import type { AuthSettings, AuthorizationMode } from './auth.settings.js';
import { type Authentication, type AuthenticationSources, createAuthentication } from './authentication/authentication.js';
import { configuredWebhookAuthorizer } from './authorization/webhook-authorizer.js';

/** Authentication and authorization of requests. The class is the injection token. */
export abstract class Access implements Authentication, AuthorizationRules {
  abstract readonly authenticator: Authenticator;
  abstract readonly tokens: TokenVerifier;
  abstract readonly serviceAccountTokens: ServiceAccountTokens;
  abstract readonly clientAuthorities: readonly ClientAuthorities[];
  abstract readonly signIn?: OidcSignIn | undefined;
  /** Decides requests themselves. */
  abstract readonly requestAuthorizer: RequestAuthorizer;
  /** Decides everything else. */
  abstract readonly authorizer: Authorizer;
  abstract readonly rbac: RbacAuthorizer;
  /** The policy that `rbac` evaluates; empty until it is filled, which is needed only if `usesRoles`. */
  abstract readonly policy: PolicyIndex;
  abstract readonly usesRoles: boolean;
  abstract readonly allowsEverything: boolean;
  abstract readonly restrictsNodes: boolean;
}

/** Throws a StartError if a file named in the configuration cannot be used. */
export function createAccess(sources: AuthenticationSources): Access {
  const policy = new PolicyIndex();
  const rbac = new RbacAuthorizer(policy);
  const modes = sources.config.authorizationMode;
  return {
    ...createAuthentication(sources),
    ...createAuthorizers(sources.config, rbac, sources.now),
    rbac,
    policy,
    usesRoles: modes.includes('RBAC'),
    allowsEverything: modes[0] === 'AlwaysAllow',
    restrictsNodes: modes.includes('Node'),
  };
}

/** The configured modes in order, after system:masters; AlwaysAllow alone is used directly. */
export function createAuthorizers(
  config: AuthSettings,
  rbac: RbacAuthorizer,
  now: Clock,
): Pick<Access, 'authorizer' | 'requestAuthorizer'> {
  const modes = config.authorizationMode;
  const byMode: Record<Exclude<AuthorizationMode, 'FrontProxy'>, () => NamedAuthorizer> = {
    AlwaysAllow: () => new AlwaysAllowAuthorizer(),
    Node: () => new NodeAuthorizer(),
    RBAC: () => rbac,
    Webhook: () => configuredWebhookAuthorizer(config, now),
  };
  if (modes[0] === 'AlwaysAllow') {
    const authorizer = byMode.AlwaysAllow();
    return { authorizer, requestAuthorizer: new RequestAuthorizer(authorizer) };
  }
  const others = modes.filter((mode) => mode !== 'FrontProxy');
  const all = [new PrivilegedGroupAuthorizer(), ...others.map((mode) => byMode[mode]())];
  const authorizer = new UnionAuthorizer(all);
  const proxyAt = modes.indexOf('FrontProxy');
  // Of the modes, those before FrontProxy; system:masters precede all of them.
  const before = proxyAt === -1 ? undefined : new UnionAuthorizer(all.slice(0, 1 + proxyAt));
  return { authorizer, requestAuthorizer: new RequestAuthorizer(authorizer, before) };
}
