import { AuthenticationError } from './authentication-error.js';
import type { TokenAuthenticator, VerifiedToken } from './token-authenticator.js';
import { whenAnswered } from '../../time/when-ready.js';

type Answer = ReturnType<TokenAuthenticator['authenticateToken']>;

/** Tries token authenticators in order; the first that accepts the token decides, whatever errors came before it. */
export class TokenUnion implements TokenAuthenticator {
  readonly #authenticators: readonly TokenAuthenticator[];

  constructor(authenticators: readonly TokenAuthenticator[]) {
    this.#authenticators = authenticators;
  }

  authenticateToken(token: string, audiences: readonly string[]): Answer {
    return this.#ask({ token, audiences }, 0, undefined);
  }

  #ask(asked: Asked, at: number, refusal: AuthenticationError | undefined): Answer {
    const authenticator = this.#authenticators[at];
    if (!authenticator) {
      if (refusal) throw refusal;
      return undefined;
    }
    return whenAnswered<VerifiedToken | undefined, VerifiedToken | undefined>(
      () => authenticator.authenticateToken(asked.token, asked.audiences),
      (verified) => verified ?? this.#ask(asked, at + 1, refusal),
      (error) => this.#afterFailure(asked, at, refusal, error),
    );
  }

  #afterFailure(asked: Asked, at: number, refusal: AuthenticationError | undefined, error: unknown): Answer {
    if (!(error instanceof AuthenticationError)) throw error;
    return this.#ask(asked, at + 1, AuthenticationError.join(refusal, error));
  }
}

interface Asked {
  readonly token: string;
  readonly audiences: readonly string[];
}
