import type { UserInfo } from '../../registry/request-context.js';
import type { PolicyRule } from './rbac/policy-rule.js';

/** What is asked for, as authorization sees it (upstream: authorizer.Attributes); '' where a part does not apply. */
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
 * `reason` explains the decision: of a refusal to the client, of an allowance in access reviews. `denied` makes a refusal final; any
 * other lets the next authorizer decide. `error`: it is refused because something did not work, and the client gets a 500.
 */
export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason?: string; readonly denied?: boolean; readonly error?: AuthorizationError };

/** Why it could not be decided; several reasons read as upstream's aggregate does. */
export class AuthorizationError extends Error {}

/** What a user may do in a namespace, as far as it can be listed. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Whether there may be rights that are not listed. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

export interface Authorizer {
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision | Promise<Decision>;
  /** For SelfSubjectRulesReviews; absent where rights cannot be listed. */
  rulesFor?(user: UserInfo, namespace: string): UserRules;
}

/** Injection token. */
export const AUTHORIZER = Symbol('Authorizer');

export const ALLOWED: Decision = Object.freeze({ allowed: true });
export const NO_OPINION: Decision = Object.freeze({ allowed: false });

/** `--authorization-mode=AlwaysAllow`. */
export class AlwaysAllowAuthorizer implements Authorizer {
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
