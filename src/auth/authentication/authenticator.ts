import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../registry/resource/request-context.js';

/** The connection of a request; the same object for all its requests, so results can be cached by it. */
export interface ClientConnection {
  /** The client's certificate chain, leaf first; empty without one. TLS has proven possession of the leaf's key and nothing else. */
  readonly certificates: readonly X509Certificate[];
}

/** The unverified request data that authenticators look at. */
export interface AuthenticationRequest {
  readonly headers: IncomingHttpHeaders;
  /** Alternates names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly url: { readonly path: string };
  /** Undefined after the connection closed. */
  readonly connection: ClientConnection | undefined;
  /** Adds a Warning header to the response. */
  warn(text: string): void;
  /** Notes that a trusted front proxy names the user. */
  cameThroughProxy(): void;
}

/**
 * Authenticates a request. Returns undefined if it has no credential of this kind, so that the next authenticator may try. Throws an
 * AuthenticationError for an invalid credential. May return synchronously, so that a token lookup costs no extra turn.
 */
export interface Authenticator {
  authenticate(request: AuthenticationRequest): UserInfo | undefined | Promise<UserInfo | undefined>;
}

/** Injection token of the server's Authenticator. */
export const AUTHENTICATOR = Symbol('Authenticator');
