import { unauthorized } from '../../apimachinery/errors/status-errors.js';
import type { UserInfo } from '../../registry/request-context.js';
import type { AuthenticationRequest, Authenticator } from './authenticator.js';
import { ANONYMOUS } from './well-known-users.js';

export interface UnionOptions {
  readonly authenticators: readonly Authenticator[];
  /** Requests without any credential are `system:anonymous`; otherwise they are refused. */
  readonly anonymous: boolean;
  /** The only paths, as a whole, at which they are; absent: all. */
  readonly anonymousPaths?: ReadonlySet<string>;
}

/**
 * Asks one authenticator after the other; the first that knows the sender decides. A credential that nobody accepts is a 401, never
 * anonymous.
 */
export class UnionAuthenticator implements Authenticator {
  readonly #options: UnionOptions;

  constructor(options: UnionOptions) {
    this.#options = options;
  }

  authenticate(request: AuthenticationRequest): UserInfo | Promise<UserInfo> {
    return this.#next(request, 0, undefined);
  }

  #next(request: AuthenticationRequest, at: number, refusal: unknown): UserInfo | Promise<UserInfo> {
    const authenticator = this.#options.authenticators[at];
    if (!authenticator) return this.#nobody(request, refusal);
    let answer: ReturnType<Authenticator['authenticate']>;
    try {
      answer = authenticator.authenticate(request);
    } catch (error) {
      return this.#next(request, at + 1, refusal ?? error);
    }
    if (answer instanceof Promise) {
      return answer.then(
        (user) => user ?? this.#next(request, at + 1, refusal),
        (error: unknown) => this.#next(request, at + 1, refusal ?? error),
      );
    }
    return answer ?? this.#next(request, at + 1, refusal);
  }

  #nobody(request: AuthenticationRequest, refusal: unknown): UserInfo {
    if (refusal !== undefined) throw refusal as Error;
    const { anonymous, anonymousPaths } = this.#options;
    if (!anonymous || anonymousPaths?.has(request.url.path) === false) throw unauthorized();
    return ANONYMOUS;
  }
}
