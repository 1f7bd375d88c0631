import type { X509Certificate } from 'node:crypto';
import { AuthenticationError } from '../authentication-error.js';
import type { CertificateFields } from './certificate-fields.js';
import { BASIC_CONSTRAINTS, readCertificateFields } from './certificate-fields.js';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const NAME_CONSTRAINTS = '2.5.29.30';
const SUBJECT_ALT_NAME = '2.5.29.17';

/** Critical extensions that are looked at here or say nothing about who a client is: key usage, certificate policies, usages of the key. */
const KNOWN_EXTENSIONS = new Set([BASIC_CONSTRAINTS, SUBJECT_ALT_NAME, '2.5.29.15', '2.5.29.32', '2.5.29.37']);

/** Signatures with MD2, MD5 and SHA-1, which prove nothing any more; Go refuses them, too. */
const BROKEN_SIGNATURES = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
]);

/** A certificate with what verification asks of it. Its fields are read when needed: most are never. */
export class Certificate {
  readonly notBefore: number;
  readonly notAfter: number;
  #fields: CertificateFields | undefined;

  constructor(readonly x509: X509Certificate) {
    this.notBefore = x509.validFromDate.getTime();
    this.notAfter = x509.validToDate.getTime();
  }

  /** Throws DerError. */
  get fields(): CertificateFields {
    return (this.#fields ??= readCertificateFields(this.x509.raw));
  }

  equals(other: Certificate): boolean {
    return this.x509.raw.equals(other.x509.raw);
  }

  /** Whether it says that `issuer`, an authority, has signed it, in a way that proves something. */
  claims(issuer: Certificate): boolean {
    return this.x509.checkIssued(issuer.x509) && issuer.x509.ca && !BROKEN_SIGNATURES.has(this.fields.signatureAlgorithm);
  }

  /** Whether `issuer` has signed it. */
  isSignedBy(issuer: Certificate): boolean {
    return this.x509.verify(issuer.x509.publicKey);
  }

  /** Throws an AuthenticationError for what rules it out wherever it stands in a chain; `leaf` is the client's. */
  check(now: number, leaf: Certificate): void {
    if (now < this.notBefore || now > this.notAfter) {
      const [side, bound] = now < this.notBefore ? ['before', this.notBefore] : ['after', this.notAfter];
      const times = `${new Date(now).toISOString()} is ${side} ${new Date(bound).toISOString()}`;
      throw new AuthenticationError(`x509: certificate has expired or is not yet valid: current time ${times}`);
    }
    for (const type of this.fields.criticalExtensions) {
      if (!KNOWN_EXTENSIONS.has(type) && !(type === NAME_CONSTRAINTS && !leaf.fields.extensions.has(SUBJECT_ALT_NAME))) {
        // Constraints on names are about alternative names alone, as in Go; without one there is nothing to hold against them.
        throw new AuthenticationError(`x509: unhandled critical extension ${type}`);
      }
    }
  }

  /** Whether its key may be used to prove who a client is, or, of an authority, to vouch for such keys. */
  allowsClients(): boolean {
    // node:crypto calls the extended key usage so.
    const usages = this.x509.keyUsage as readonly string[] | undefined;
    return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
  }
}
