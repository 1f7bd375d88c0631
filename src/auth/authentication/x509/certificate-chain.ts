import { AuthenticationError } from '../authentication-error.js';
import type { Certificate } from './certificate.js';

/** Signatures that are checked for one client at most: each costs time, and the client chooses what it sends. */
const MAX_CHECKS = 30;

export interface ChainSources {
  /** What the client sent beside its own certificate: candidates, nothing more. */
  readonly intermediates: readonly Certificate[];
  /** What is trusted. */
  readonly roots: readonly Certificate[];
  readonly now: number;
}

/**
 * A chain from a client's certificate to one that is trusted, by the rules of Go's Certificate.Verify with ExtKeyUsageClientAuth: times,
 * authorities' constraints, and that every certificate allows its use for clients. Throws an AuthenticationError that says why there is none.
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

  /** What was wrong with the last chain that was found, if there was one. */
  refusal(): AuthenticationError {
    return this.#refusal ?? new AuthenticationError('x509: certificate signed by unknown authority');
  }

  /** `chain` made complete. */
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

  /** A chain whose signatures are right. */
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

  /** Whether an authority may stand above that many others. */
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
