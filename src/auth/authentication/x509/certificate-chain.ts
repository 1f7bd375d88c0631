import { AuthenticationError } from '../authentication-error.js';
import type { Certificate } from './certificate.js';
import { DerError } from './der-reader.js';
import { checkNames } from './name-constraints.js';

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
 * periods, constraints of CAs, names, and client authentication allowed by every certificate. Throws an AuthenticationError or DerError with the reason
 * if there is none.
 */
export function verifyChain(leaf: Certificate, sources: ChainSources): readonly Certificate[] {
  leaf.check(sources.now);
  const search = new ChainSearch(leaf, sources);
  const chain = sources.roots.some((root) => root.equals(leaf)) ? search.accept([leaf]) : search.extend([leaf]);
  if (!chain) throw search.refusal();
  return chain;
}

class ChainSearch {
  readonly #leaf: Certificate;
  readonly #sources: ChainSources;
  /** Finding them reads all that the client sent: one certificate that cannot be read is refused with the others, as by Go's handshake. */
  readonly #intermediates: readonly Certificate[];
  #checksLeft = MAX_CHECKS;
  #refusal: Error | undefined;

  constructor(leaf: Certificate, sources: ChainSources) {
    this.#leaf = leaf;
    this.#sources = sources;
    this.#intermediates = sources.intermediates.filter(({ isAuthority }) => isAuthority);
  }

  /** The error of the last chain that was tried, if any. */
  refusal(): Error {
    return this.#refusal ?? new AuthenticationError('x509: certificate signed by unknown authority');
  }

  /** Extends `chain` to a complete chain. */
  extend(chain: readonly Certificate[]): readonly Certificate[] | undefined {
    for (const root of this.#sources.roots) {
      const accepted = this.#issued(chain, root, true) && this.accept([...chain, root]);
      if (accepted) return accepted;
    }
    for (const candidate of this.#intermediates) {
      if (!this.#issued(chain, candidate, false)) continue;
      const accepted = this.extend([...chain, candidate]);
      if (accepted) return accepted;
    }
    return undefined;
  }

  /** Accepts a complete chain, whose signatures are valid, if every certificate allows clients and the names of those below. */
  accept(chain: readonly Certificate[]): readonly Certificate[] | undefined {
    return this.#try(() => {
      if (!chain.every((each) => each.allowsClients())) {
        throw new AuthenticationError('x509: certificate specifies an incompatible key usage');
      }
      for (const [at, { fields }] of chain.entries()) {
        const { nameConstraints } = fields.extensions;
        if (!nameConstraints) continue;
        for (const below of chain.slice(0, at)) checkNames(below.fields.extensions.alternativeNames, nameConstraints);
      }
    })
      ? chain
      : undefined;
  }

  #issued(chain: readonly Certificate[], issuer: Certificate, isTrusted: boolean): boolean {
    return this.#try(() => {
      const subject = chain.at(-1) ?? this.#leaf;
      if (this.#checksLeft === 0 || !subject.claims(issuer) || chain.some((each) => each.isOfSameOwner(issuer))) return false;
      this.#checksLeft -= 1;
      if (!subject.isSignedBy(issuer)) return false;
      issuer.check(this.#sources.now);
      const { ca, maxPathLength } = issuer.fields.extensions;
      if (!isTrusted && ca !== true) return false;
      if (maxPathLength === undefined || chain.length - 1 <= maxPathLength) return true;
      throw new AuthenticationError('x509: too many intermediates for path length constraint');
    });
  }

  /** Keeps the reason if a candidate cannot be used; others may be. */
  #try(attempt: () => boolean | void): boolean {
    try {
      return attempt() !== false;
    } catch (error) {
      if (!(error instanceof AuthenticationError || error instanceof DerError)) throw error;
      this.#refusal = error;
      return false;
    }
  }
}
