import type { X509Certificate } from 'node:crypto';
import { AuthenticationError } from '../authentication-error.js';
import type { CertificateFields } from './certificate-fields.js';
import { BASIC_CONSTRAINTS, readCertificateFields } from './certificate-fields.js';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const NAME_CONSTRAINTS = '2.5.29.30';
const SUBJECT_ALT_NAME = '2.5.29.17';

/** Critical extensions that are checked here or irrelevant for a client's identity: key usage, certificate policies, extended key usage. */
const KNOWN_EXTENSIONS = new Set([BASIC_CONSTRAINTS, SUBJECT_ALT_NAME, '2.5.29.15', '2.5.29.32', '2.5.29.37']);

/** Signatures with MD2, MD5 and SHA-1, which are broken; Go rejects them too. */
const BROKEN_SIGNATURES = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
]);

/** A certificate and the checks that verification needs. Its fields are parsed lazily, because most are never used. */
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

  /** Whether it names `issuer` as its issuer, which must be a CA, and is signed with an unbroken algorithm. */
  claims(issuer: Certificate): boolean {
    return this.x509.checkIssued(issuer.x509) && issuer.x509.ca && !BROKEN_SIGNATURES.has(this.fields.signatureAlgorithm);
  }

  /** Whether `issuer` has signed it. */
  isSignedBy(issuer: Certificate): boolean {
    return this.x509.verify(issuer.x509.publicKey);
  }

  /** Throws an AuthenticationError if it is expired or has an unhandled critical extension. `leaf` is the client's certificate. */
  check(now: number, leaf: Certificate): void {
    if (now < this.notBefore || now > this.notAfter) {
      const [side, bound] = now < this.notBefore ? ['before', this.notBefore] : ['after', this.notAfter];
      const times = `${new Date(now).toISOString()} is ${side} ${new Date(bound).toISOString()}`;
      throw new AuthenticationError(`x509: certificate has expired or is not yet valid: current time ${times}`);
    }
    for (const type of this.fields.criticalExtensions) {
      if (!KNOWN_EXTENSIONS.has(type) && !(type === NAME_CONSTRAINTS && !leaf.fields.extensions.has(SUBJECT_ALT_NAME))) {
        // As in Go, name constraints concern alternative names only; without any they are met.
        throw new AuthenticationError(`x509: unhandled critical extension ${type}`);
      }
    }
  }

  /** Whether its extended key usage allows client authentication; for a CA, vouching for client certificates. */
  allowsClients(): boolean {
    // node:crypto's name for extended key usage.
    const usages = this.x509.keyUsage as readonly string[] | undefined;
    return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
  }
}
