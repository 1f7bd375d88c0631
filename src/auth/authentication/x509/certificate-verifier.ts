import { X509Certificate } from 'node:crypto';
import { readGivenFile } from '../../../settings/given-files.js';
import { StartError } from '../../../settings/start-error.js';
import type { WatchedFiles } from '../../../settings/watched-files.js';
import { type ClientConnection, AuthenticationError } from '../authenticator.js';
import { checkNames } from './certificate-extensions.js';
import { Certificate } from './certificate.js';
import { DerError } from './der-reader.js';

/** How long a refusal is cached: the certificate may become valid with time. */
const REFUSAL_MS = 1000;

/** The result for a connection, and until when it applies. */
interface Verdict {
  readonly until: number;
  readonly roots: readonly Certificate[];
  readonly leaf?: Certificate;
  readonly refusal?: AuthenticationError;
}

/**
 * Verifies that a client's certificate is signed by a trusted CA. A connection is checked once; the result applies until a certificate of
 * its chain expires or the CAs change.
 */
export class CertificateVerifier {
  readonly #now: () => number;
  readonly #verdicts = new WeakMap<ClientConnection, Verdict>();
  #roots: readonly Certificate[];

  constructor(authorities: readonly X509Certificate[], now: () => number) {
    this.#now = now;
    this.#roots = authorities.map((each) => new Certificate(each));
  }

  /** Replaces the trusted CAs, for open connections as well. */
  replace(authorities: readonly X509Certificate[]): void {
    this.#roots = authorities.map((each) => new Certificate(each));
  }

  /**
   * Returns the client's certificate; the same object as long as the result applies. Returns undefined without a certificate; throws an
   * AuthenticationError for an invalid one.
   */
  verify(connection: ClientConnection | undefined): Certificate | undefined {
    if (!connection || connection.certificates.length === 0) return undefined;
    const now = this.#now();
    let verdict = this.#verdicts.get(connection);
    if (!verdict || verdict.roots !== this.#roots || now > verdict.until) {
      verdict = this.#judge(connection, now);
      this.#verdicts.set(connection, verdict);
    }
    if (verdict.refusal) throw verdict.refusal;
    return verdict.leaf;
  }

  #judge({ certificates }: ClientConnection, now: number): Verdict {
    const roots = this.#roots;
    const [leaf, ...intermediates] = certificates.map((each) => new Certificate(each));
    if (!leaf) throw new TypeError('no certificate to verify');
    try {
      const chain = verifyChain(leaf, { intermediates, roots, now });
      return { leaf, roots, until: Math.min(...chain.map(({ notAfter }) => notAfter)) };
    } catch (error) {
      return { refusal: refusalOf(leaf, error), roots, until: now + REFUSAL_MS };
    }
  }
}

function refusalOf({ x509 }: Certificate, error: unknown): AuthenticationError {
  if (!(error instanceof AuthenticationError || error instanceof DerError)) throw error;
  return new AuthenticationError(`verifying certificate SN=${x509.serialNumber} failed: ${error.message}`);
}

/** Maximum number of signatures checked for one client: each costs time, and the client chooses how many it sends. */
const MAX_CHECKS = 30;

interface ChainSources {
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
function verifyChain(leaf: Certificate, sources: ChainSources): readonly Certificate[] {
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

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The CAs in a file named by a flag; follows changes of the file. */
export class ClientAuthorities {
  readonly verifier: CertificateVerifier;
  readonly #flag: string;
  readonly file: string;
  #certificates: readonly X509Certificate[];

  /** Throws a StartError if the file cannot be used. */
  constructor(flag: string, file: string, { files, now }: { readonly files: Pick<WatchedFiles, 'watch'>; readonly now: () => number }) {
    this.#flag = flag;
    this.file = file;
    files.watch([file], () => this.#reload());
    this.#certificates = this.#read();
    this.verifier = new CertificateVerifier(this.#certificates, now);
  }

  /** The CAs as PEM. */
  get pem(): string {
    return this.#certificates.map(String).join('');
  }

  /** Whether both have a CA in common. */
  overlaps(other: ClientAuthorities): boolean {
    return this.#certificates.some(({ raw }) => other.#certificates.some((each) => each.raw.equals(raw)));
  }

  #reload(): void {
    this.#certificates = this.#read();
    this.verifier.replace(this.#certificates);
  }

  #read(): X509Certificate[] {
    const found = readGivenFile(this.#flag, this.file).match(CERTIFICATE) ?? [];
    if (found.length === 0) throw new StartError(`${this.#flag} ${this.file} contains no certificate`);
    try {
      return found.map((pem) => new X509Certificate(pem));
    } catch (error) {
      throw new StartError(`cannot use ${this.#flag} ${this.file}: ${(error as Error).message}`);
    }
  }
}
