import type { UserInfo } from '../../registry/request-context.js';

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

/** `reason` explains a refusal in words for the client. */
export type Decision = { readonly allowed: true } | { readonly allowed: false; readonly reason?: string };

export interface Authorizer {
  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision | Promise<Decision>;
}

/** Injection token. */
export const AUTHORIZER = Symbol('Authorizer');

const ALLOWED: Decision = Object.freeze({ allowed: true });

/** `--authorization-mode=AlwaysAllow`. */
export class AlwaysAllowAuthorizer implements Authorizer {
  authorize(): Decision {
    return ALLOWED;
  }
}
