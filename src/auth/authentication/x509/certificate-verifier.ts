import type { X509Certificate } from 'node:crypto';
import { AuthenticationError } from '../authentication-error.js';
import type { ClientConnection } from '../authenticator.js';
import { Certificate } from './certificate.js';
import { verifyChain } from './certificate-chain.js';
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
