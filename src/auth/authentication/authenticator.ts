import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../registry/request-context.js';

/** What a request shows of its sender before anything of it is trusted. */
export interface AuthenticationRequest {
  readonly headers: IncomingHttpHeaders;
  readonly url: { readonly path: string };
  /** Sends a Warning header with the answer. */
  warn(text: string): void;
}

/**
 * Finds out who asks. Answers undefined when the request shows no credential of its kind, so that the next one may try; throws an
 * AuthenticationError when it shows one that is not good. May answer without a promise, so that a token look-up costs no extra turn.
 */
export interface Authenticator {
  authenticate(request: AuthenticationRequest): UserInfo | undefined | Promise<UserInfo | undefined>;
}

/** Injection token. */
export const AUTHENTICATOR = Symbol('Authenticator');
