import { isDeepStrictEqual } from 'node:util';
import type { KeyObject, X509Certificate } from 'node:crypto';
import { AuthenticationError } from '../authentication-error.js';
import { type CertificateFields, readCertificateFields } from './certificate-fields.js';
import { DerError } from './der-reader.js';
import { isAccepted, isUsableKey } from './signatures.js';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

/** A certificate and the checks that verification needs. Its fields are parsed lazily, because most are never used. */
export class Certificate {
  #fields: CertificateFields | undefined;
  #publicKey: KeyObject | undefined;

  constructor(readonly x509: X509Certificate) {}

  /** Throws DerError. */
  get fields(): CertificateFields {
    return (this.#fields ??= readCertificateFields(this.x509.raw));
  }

  get notAfter(): number {
    return this.fields.notAfter;
  }

  equals(other: Certificate): boolean {
    return this.x509.raw.equals(other.x509.raw);
  }

  /** Whether both are of the same name, key and alternative names, so that a chain with both leads nowhere new (Go's alreadyInChain). */
  isOfSameOwner({ fields: other }: Certificate): boolean {
    const { subjectName, publicKey, extensions } = this.fields;
    return (
      subjectName.equals(other.subjectName) &&
      publicKey.algorithm.equals(other.publicKey.algorithm) &&
      publicKey.bits.equals(other.publicKey.bits) &&
      isDeepStrictEqual(extensions.alternativeNames, other.extensions.alternativeNames)
    );
  }

  /** Whether it names `issuer`, as Go compares names: byte by byte. Throws DerError. */
  claims(issuer: Certificate): boolean {
    return this.fields.issuerName.equals(issuer.fields.subjectName);
  }

  /** Whether it may sign certificates. Throws DerError. */
  get isAuthority(): boolean {
    const { version, extensions } = this.fields;
    // Version 1 has no constraints to say so; such a CA counts only if it is trusted itself.
    return extensions.maySign && (version === 3 ? extensions.ca === true : extensions.ca !== false);
  }

  /** Whether `issuer` may sign certificates and has signed it, with an algorithm that is accepted. */
  isSignedBy(issuer: Certificate): boolean {
    if (!issuer.isAuthority || !isAccepted(this.fields.signatureAlgorithm)) return false;
    const key = issuer.#key();
    return isUsableKey(issuer.fields.publicKey, key) && this.x509.verify(key);
  }

  /** Throws an AuthenticationError if it is expired, or has an unhandled critical extension or an unknown kind of key. */
  check(now: number): void {
    const { notBefore, notAfter, extensions } = this.fields;
    const [unhandled] = extensions.unhandled;
    if (unhandled !== undefined) throw new AuthenticationError(`x509: unhandled critical extension ${unhandled}`);
    if (!isUsableKey(this.fields.publicKey, this.#key())) throw new AuthenticationError('x509: unsupported public key');
    if (now >= notBefore && now <= notAfter) return;
    const [side, bound] = now < notBefore ? ['before', notBefore] : ['after', notAfter];
    const times = `${new Date(now).toISOString()} is ${side} ${new Date(bound).toISOString()}`;
    throw new AuthenticationError(`x509: certificate has expired or is not yet valid: current time ${times}`);
  }

  /** Whether its extended key usage allows client authentication; for a CA, vouching for client certificates. */
  allowsClients(): boolean {
    const { usages } = this.fields.extensions;
    return usages.length === 0 || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
  }

  /** Throws DerError if OpenSSL cannot read the key. */
  #key(): KeyObject {
    try {
      return (this.#publicKey ??= this.x509.publicKey);
    } catch {
      throw new DerError('expected a public key');
    }
  }
}
