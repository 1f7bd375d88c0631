import { unauthorized } from '../../apimachinery/errors/status-errors.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import { AuthenticationError } from './authentication-error.js';
import type { AuthenticationRequest, Authenticator } from './authenticator.js';
import { ANONYMOUS, withAuthenticatedGroup } from './well-known-users.js';
import { whenAnswered } from '../../time/when-ready.js';

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
