import type { X509Certificate } from 'node:crypto';
import { AuthenticationError } from '../authentication-error.js';
import type { ClientConnection } from '../authenticator.js';
import { Certificate } from './certificate.js';
import { verifyChain } from './certificate-chain.js';
import { DerError } from './der-reader.js';

/** How long a refusal holds: it may be one that time heals. */
const REFUSAL_MS = 1000;

/** What was found out about a connection, and until when it holds. */
interface Verdict {
  readonly until: number;
  readonly roots: readonly Certificate[];
  readonly leaf?: Certificate;
  readonly refusal?: AuthenticationError;
}

/**
 * Tells whether the certificate that a client showed comes from a trusted authority. A connection is looked at once; the result holds
 * until a certificate of its chain ends or the authorities change.
 */
export class CertificateVerifier {
  readonly #now: () => number;
  readonly #verdicts = new WeakMap<ClientConnection, Verdict>();
  #roots: readonly Certificate[];

  constructor(authorities: readonly X509Certificate[], now: () => number) {
    this.#now = now;
    this.#roots = authorities.map((each) => new Certificate(each));
  }

  /** Trusts these authorities instead, for connections that are open, too. */
  replace(authorities: readonly X509Certificate[]): void {
    this.#roots = authorities.map((each) => new Certificate(each));
  }

  /** The client's certificate; the same object while it holds. Undefined where it showed none; throws an AuthenticationError for a bad one. */
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
    if (!leaf) throw new TypeError('there is no certificate to judge');
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
