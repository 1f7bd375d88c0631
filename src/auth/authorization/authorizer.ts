import { ApiError } from '../../apimachinery/errors/api-error.js';
import { forbidden } from '../../apimachinery/errors/status-errors.js';
import { quote } from '../../apimachinery/go/go-string.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { SYSTEM_MASTERS } from '../authentication/authenticator.js';
import type { PolicyRule } from './rbac.schema.js';

/** The attributes of a request that authorization looks at (upstream: authorizer.Attributes); '' for parts that do not apply. */
export interface AuthorizationAttributes {
  readonly isResourceRequest: boolean;
  /** `get`, `list`, …; for other paths the HTTP method in lower case. */
  readonly verb: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly path: string;
}

/**
 * An authorizer's decision. `reason` explains it: a refusal to the client, an allowance in access reviews. `denied` is final; without it
 * the next authorizer decides. `error`: refused because the decision failed, and the client gets a 500.
 */
export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason?: string; readonly denied?: boolean; readonly error?: AuthorizationError };

/** Why a decision failed; several causes are joined like upstream's aggregate. */
export class AuthorizationError extends Error {}

/** The rights of a user in a namespace, as far as they can be listed. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Whether there may be further rights. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export interface Authorizer {
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision | Promise<Decision>;
  /** For SelfSubjectRulesReviews; absent if rights cannot be listed. */
  rulesFor?(user: UserInfo, namespace: string): UserRules;
}

/** One of several authorizers (upstream: union.NamedAuthorizer). */
export interface NamedAuthorizer extends Authorizer {
  /** What kube-apiserver calls it when its flags choose it; clients see it before its reasons. */
  readonly name: string;
}

/** Injection token of the server's Authorizer. */
export const AUTHORIZER = Symbol('Authorizer');

export const ALLOWED: Decision = Object.freeze({ allowed: true });
export const NO_OPINION: Decision = Object.freeze({ allowed: false });

/** `--authorization-mode=AlwaysAllow`. */
export class AlwaysAllowAuthorizer implements NamedAuthorizer {
  readonly name = 'alwaysallow';

  authorize(): Decision {
    return ALLOWED;
  }

  rulesFor(): UserRules {
    return {
      rules: [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ],
      incomplete: false,
    };
  }
}

/** The effect of the authorization modes on checks that resources make themselves. The class is the injection token. */
export abstract class AuthorizationRules {
  /** Whether nodes are restricted to their own leases. */
  abstract readonly restrictsNodes: boolean;
  /** Whether all requests are allowed. */
  abstract readonly allowsEverything: boolean;
}

/** The 403 for a request that authorization refused, in upstream's words (apiserver handlers/responsewriters/errors.go). */
export function forbiddenRequest(user: UserInfo, attributes: AuthorizationAttributes, reason?: string): ApiError {
  const explained = `${escapeHtml(denial(user, attributes))}${reason ? `: ${reason}` : ''}`;
  if (!attributes.isResourceRequest) {
    return new ApiError({ code: 403, reason: 'Forbidden', message: `forbidden: ${explained}`, details: {} });
  }
  return forbidden({ group: attributes.apiGroup, resource: attributes.resource }, attributes.name, explained);
}

function denial(user: UserInfo, { isResourceRequest, verb, path, ...attributes }: AuthorizationAttributes): string {
  const who = `User ${quote(user.name)} cannot ${verb}`;
  if (!isResourceRequest) return `${who} path ${quote(path)}`;
  const resource = attributes.subresource === '' ? attributes.resource : `${attributes.resource}/${attributes.subresource}`;
  const where = attributes.namespace === '' ? 'at the cluster scope' : `in the namespace ${quote(attributes.namespace)}`;
  return `${who} resource ${quote(resource)} in API group ${quote(attributes.apiGroup)} ${where}`;
}

/** Escapes text that a client sent, as upstream's sanitizer does. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const VERBS = new Set(['watch', 'proxy']);
/** They are streams in Kubernetes. Here nothing serves them, but requests for them are treated alike. */
const SUBRESOURCES = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** Whether a request may last as long as its client likes (apiserver server/filters/longrunning.go, with kube-apiserver's verbs and subresources). */
export function isLongRunning({ isResourceRequest, verb, subresource, path }: AuthorizationAttributes): boolean {
  return isResourceRequest ? VERBS.has(verb) || SUBRESOURCES.has(subresource) : path.startsWith('/debug/pprof/');
}

const NOTHING: UserRules = Object.freeze({ rules: [], incomplete: false });

/** Allows members of system:masters everything, independent of roles (apiserver authorization/authorizerfactory NewPrivilegedGroups). */
export class PrivilegedGroupAuthorizer implements NamedAuthorizer {
  readonly name = 'kubernetes.io/system-privileged-group';
  authorize(user: UserInfo): Decision {
    return user.groups.includes(SYSTEM_MASTERS) ? ALLOWED : NO_OPINION;
  }

  /** Empty, because RBAC lists the same rights. */
  rulesFor(): UserRules {
    return NOTHING;
  }
}
