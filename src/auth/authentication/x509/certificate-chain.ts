import { AuthenticationError } from '../authentication-error.js';
import type { Certificate } from './certificate.js';

/** Maximum number of signatures checked for one client: each costs time, and the client chooses how many it sends. */
const MAX_CHECKS = 30;

export interface ChainSources {
  /** Certificates sent by the client in addition to its own; candidates only. */
  readonly intermediates: readonly Certificate[];
  /** The trusted CAs. */
  readonly roots: readonly Certificate[];
  readonly now: number;
}

/**
 * Finds a chain from a client's certificate to a trusted one, by the rules of Go's Certificate.Verify with ExtKeyUsageClientAuth: validity
 * periods, constraints of CAs, and client authentication allowed by every certificate. Throws an AuthenticationError with the reason if
 * there is none.
 */
export function verifyChain(leaf: Certificate, sources: ChainSources): readonly Certificate[] {
  leaf.check(sources.now, leaf);
  const search = new ChainSearch(leaf, sources);
  const chain = sources.roots.some((root) => root.equals(leaf)) ? search.accept([leaf]) : search.extend([leaf]);
  if (!chain) throw search.refusal();
  return chain;
}

class ChainSearch {
  readonly #leaf: Certificate;
  readonly #sources: ChainSources;
  #checksLeft = MAX_CHECKS;
  #refusal: AuthenticationError | undefined;

  constructor(leaf: Certificate, sources: ChainSources) {
    this.#leaf = leaf;
    this.#sources = sources;
  }

  /** The error of the last chain that was tried, if any. */
  refusal(): AuthenticationError {
    return this.#refusal ?? new AuthenticationError('x509: certificate signed by unknown authority');
  }

  /** Extends `chain` to a complete chain. */
  extend(chain: readonly Certificate[]): readonly Certificate[] | undefined {
    const { intermediates, roots } = this.#sources;
    for (const root of roots) {
      const accepted = this.#issued(chain, root) && this.accept([...chain, root]);
      if (accepted) return accepted;
    }
    for (const candidate of intermediates) {
      if (chain.some((each) => each.equals(candidate)) || !this.#issued(chain, candidate)) continue;
      const accepted = this.extend([...chain, candidate]);
      if (accepted) return accepted;
    }
    return undefined;
  }

  /** Accepts a complete chain if its signatures are valid. */
  accept(chain: readonly Certificate[]): readonly Certificate[] | undefined {
    if (chain.every((each) => each.allowsClients())) return chain;
    this.#refusal = new AuthenticationError('x509: certificate specifies an incompatible key usage');
    return undefined;
  }

  #issued(chain: readonly Certificate[], issuer: Certificate): boolean {
    const subject = chain.at(-1) ?? this.#leaf;
    if (this.#checksLeft === 0 || !subject.claims(issuer)) return false;
    this.#checksLeft -= 1;
    return subject.isSignedBy(issuer) && this.#fits(issuer, chain.length - 1);
  }

  /** Whether a CA may have this many CAs below it. */
  #fits(issuer: Certificate, below: number): boolean {
    try {
      issuer.check(this.#sources.now, this.#leaf);
      const { maxPathLength } = issuer.fields;
      if (maxPathLength === undefined || below <= maxPathLength) return true;
      this.#refusal = new AuthenticationError('x509: too many intermediates for path length constraint');
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      this.#refusal = error;
    }
    return false;
  }
}
