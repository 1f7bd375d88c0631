import type { VerifiedJwt } from './verified-jwt.js';

/** How many tokens are remembered at most; the longest unused is forgotten first. */
const MOST = 10_000;
/** How long a verified token is believed to be so, as upstream has it (kubeapiserver/authenticator/config.go TokenSuccessCacheTTL). */
const TTL_MS = 10_000;

interface Entry {
  readonly verified: VerifiedJwt;
  readonly until: number;
}

/** Tokens that were verified lately, by their digest: a signature takes a hundred times as long to verify as to look up. */
export class RecentJwts {
  readonly #entries = new Map<string, Entry>();

  get(digest: string, now: number): VerifiedJwt | undefined {
    const entry = this.#entries.get(digest);
    if (!entry) return undefined;
    if (now < entry.until) return entry.verified;
    this.#entries.delete(digest);
    return undefined;
  }

  set(digest: string, verified: VerifiedJwt, now: number): void {
    this.#entries.delete(digest);
    this.#entries.set(digest, { verified, until: now + TTL_MS });
    if (this.#entries.size <= MOST) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
