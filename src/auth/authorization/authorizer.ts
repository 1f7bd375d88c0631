import type { UserInfo } from '../../registry/resource/request-context.js';
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
