import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { UserInfo } from '../../registry/request-context.js';
import type { Authenticator } from './authenticator.js';

/** Whose a token is, and which of the wanted audiences it is meant for. */
export interface VerifiedToken {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/** Looks at tokens that no request was made with: for TokenReviews. */
export class TokenVerifier {
  readonly #authenticator: Authenticator;
  readonly #audiences: readonly string[];

  /** `authenticator`: those of the server, without the one for anonymous requests; `audiences`: how the server itself is called. */
  constructor(authenticator: Authenticator, audiences: readonly string[]) {
    this.#authenticator = authenticator;
    this.#audiences = audiences;
  }

  /** Undefined for a token that is nobody's or is meant for others. Without `wanted`, it must be meant for this server. */
  async verify(token: string, wanted: readonly string[]): Promise<VerifiedToken | undefined> {
    const audiences = wanted.length === 0 ? this.#audiences : this.#audiences.filter((each) => wanted.includes(each));
    if (audiences.length === 0) return undefined;
    const user = await this.#owner(token);
    return user && { user, audiences };
  }

  async #owner(token: string): Promise<UserInfo | undefined> {
    try {
      return await this.#authenticator.authenticate({
        headers: { authorization: `Bearer ${token}` },
        url: { path: '' },
        warn: () => undefined,
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 401) return undefined;
      throw error;
    }
  }
}
