import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../registry/request-context.js';

/** The TLS connection of requests: one object for all of them, so that what was found out about it can be kept with it. */
export interface ClientConnection {
  /** What the client showed, its own first; empty where it showed none. That it has the key to the first one is proven, nothing else. */
  readonly certificates: readonly X509Certificate[];
}

/** What a request shows of its sender before anything of it is trusted. */
export interface AuthenticationRequest {
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly url: { readonly path: string };
  /** Absent once it is gone. */
  readonly connection: ClientConnection | undefined;
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
