import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ExpectedError, aggregateTexts } from '../../apimachinery/errors/api-error.js';
import { unauthorized } from '../../apimachinery/errors/status-errors.js';
import { validateDnsLabel, validateDnsSubdomain } from '../../apimachinery/validation/names.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { whenAnswered } from '../../time/backoff.js';

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

/**
 * An invalid credential. The client only gets a 401; the reason goes to the log and, for tokens, into TokenReviews. Several causes are
 * joined like upstream's aggregate: each text once, in brackets if there are several (apimachinery util/errors).
 */
export class AuthenticationError extends ExpectedError {
  readonly causes: readonly string[];

  constructor(...causes: readonly string[]) {
    const distinct = [...new Set(causes)];
    super(aggregateTexts(distinct));
    this.name = 'AuthenticationError';
    this.causes = distinct;
  }

  /** Joins two errors. */
  static join(first: AuthenticationError | undefined, second: AuthenticationError): AuthenticationError {
    return first ? new AuthenticationError(...first.causes, ...second.causes) : second;
  }
}

export interface UnionOptions {
  readonly authenticators: readonly Authenticator[];
  /** Whether requests without a credential become `system:anonymous` instead of being refused. */
  readonly anonymous: boolean;
  /** Exact paths that are open to anonymous requests; absent: all. */
  readonly anonymousPaths?: ReadonlySet<string>;
}

/**
 * Tries authenticators in order; the first that recognizes the user wins, and system:authenticated is added to the groups. A credential
 * that nobody accepts is a 401, never anonymous. The error's cause, which goes to the log, says what was wrong with it.
 */
export class UnionAuthenticator implements Authenticator {
  readonly #options: UnionOptions;

  constructor(options: UnionOptions) {
    this.#options = options;
  }

  authenticate(request: AuthenticationRequest): UserInfo | Promise<UserInfo> {
    return this.#next(request, 0, undefined);
  }

  #next(request: AuthenticationRequest, at: number, refusal: AuthenticationError | undefined): UserInfo | Promise<UserInfo> {
    const authenticator = this.#options.authenticators[at];
    if (!authenticator) return this.#nobody(request, refusal);
    return whenAnswered(
      () => authenticator.authenticate(request),
      (user) => (user ? withAuthenticatedGroup(user) : this.#next(request, at + 1, refusal)),
      (error) => this.#next(request, at + 1, joined(refusal, error)),
    );
  }

  #nobody(request: AuthenticationRequest, refusal: AuthenticationError | undefined): UserInfo {
    if (refusal) throw unauthorized(refusal);
    const { anonymous, anonymousPaths } = this.#options;
    if (!anonymous || anonymousPaths?.has(request.url.path) === false) throw unauthorized();
    return ANONYMOUS;
  }
}

/** Rethrows anything but an invalid credential: it is a server error, and the next authenticator must not be tried. */
function joined(refusal: AuthenticationError | undefined, error: unknown): AuthenticationError {
  if (!(error instanceof AuthenticationError)) throw error;
  return AuthenticationError.join(refusal, error);
}

const SERVICE_ACCOUNT = 'system:serviceaccount:';
/** Prefix of the user names of nodes. */
export const NODE_USER = 'system:node:';

/** Namespace and name of a service account user (apiserver authentication/serviceaccount SplitUsername); undefined for other users. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace = '', name = '', ...rest] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (rest.length > 0 || validateDnsLabel(namespace).length > 0 || validateDnsSubdomain(name).length > 0) return undefined;
  return { namespace, name };
}

/** The node name of a node user; undefined for other users. */
export function nodeNameOf(user: string): string | undefined {
  if (!user.startsWith(NODE_USER)) return undefined;
  const name = user.slice(NODE_USER.length);
  return validateDnsSubdomain(name).length > 0 ? undefined : name;
}

/** The user name of a service account, `system:serviceaccount:NAMESPACE:NAME` (apiserver authentication/serviceaccount/util.go). */
export function serviceAccountUserName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${SERVICE_ACCOUNT}${namespace}:${name}`;
}

/** The groups of every service account in a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

export const ALL_AUTHENTICATED = 'system:authenticated';
export const ALL_UNAUTHENTICATED = 'system:unauthenticated';
/** Kubelets. */
export const NODES = 'system:nodes';
/** Members are allowed everything. */
export const SYSTEM_MASTERS = 'system:masters';

/** The user of requests without credentials. */
export const ANONYMOUS: UserInfo = Object.freeze({ name: 'system:anonymous', uid: '', groups: [ALL_UNAUTHENTICATED], extra: {} });

/** Adds system:authenticated to the groups of a user other than system:anonymous (apiserver authentication/group/authenticated_group_adder.go). */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === ANONYMOUS.name) return user;
  if (user.groups.includes(ALL_AUTHENTICATED) || user.groups.includes(ALL_UNAUTHENTICATED)) return user;
  return Object.freeze({ ...user, groups: [...user.groups, ALL_AUTHENTICATED] });
}
