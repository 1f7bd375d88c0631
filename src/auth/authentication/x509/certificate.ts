import type { KeyObject, X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AuthenticationError } from '../authenticator.js';
import { type CertificateExtensions, readExtensions } from './certificate-extensions.js';
import { type NameAttribute, readName } from './certificate-name.js';
import { type DerElement, BIT_STRING, DerError, INTEGER, SEQUENCE, elementAt, readElements, readOid, readSequence } from './der-reader.js';

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

/** The contents of the AlgorithmIdentifier and the BIT STRING of a key. */
interface PublicKeyInfo {
  readonly algorithm: Buffer;
  readonly bits: Buffer;
}

/** Fields of a certificate that node:crypto does not expose, or not exactly. */
interface CertificateFields {
  readonly version: number;
  /** The names as DER, which Go compares byte by byte. */
  readonly issuerName: Buffer;
  readonly subjectName: Buffer;
  readonly subject: readonly NameAttribute[];
  /** Milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The elements of the AlgorithmIdentifier of the signature. */
  readonly signatureAlgorithm: readonly DerElement[];
  readonly publicKey: PublicKeyInfo;
  readonly extensions: CertificateExtensions;
}

const EXTENSIONS = 0xa3;
const VERSION = 0xa0;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
/** Date and time with the digits of the year that the type has, and the zone. */
const FORMAT = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:Z|([+-])(\d{2})(\d{2}))$/;

/** Reads the DER of a certificate (RFC 5280, 4.1) as strictly as Go's crypto/x509. Throws DerError. */
export function readCertificateFields(der: Buffer): CertificateFields {
  const [body, algorithm] = readSequence(der);
  if (body?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE) throw new DerError('expected a certificate');
  const parts = readElements(body.content);
  const version = parts[0]?.tag === VERSION ? readVersion(parts[0]) : 1;
  const [serial, inner, issuer, validity, subject, key] = parts.slice(parts[0]?.tag === VERSION ? 1 : 0);
  checkSerialNumber(serial);
  if (inner?.content.equals(algorithm.content) !== true) throw new DerError('the algorithms within and outside differ');
  const times = readElements(sequenceIn(validity));
  readName(sequenceIn(issuer));
  const extensions = parts.filter(({ tag }) => tag === EXTENSIONS);
  return {
    version,
    issuerName: sequenceIn(issuer),
    subjectName: sequenceIn(subject),
    subject: readName(sequenceIn(subject)),
    notBefore: readTime(elementAt(times, 0)),
    notAfter: readTime(elementAt(times, 1)),
    signatureAlgorithm: readElements(algorithm.content),
    publicKey: readPublicKey(readElements(sequenceIn(key))),
    extensions: readExtensions(extensions.flatMap(({ content }) => readSequence(content))),
  };
}

function readVersion({ content }: DerElement): number {
  const [number] = readElements(content);
  const version = number?.tag === INTEGER && number.content.length === 1 ? number.content.readInt8() + 1 : 0;
  if (version < 1 || version > 3) throw new DerError('expected a version from 1 to 3');
  return version;
}

function checkSerialNumber(serial: DerElement | undefined): void {
  const isNegative = (serial?.content[0] ?? 0x80) >= 0x80;
  if (serial?.tag !== INTEGER || isNegative) throw new DerError('expected a serial number that is not negative');
}

function readPublicKey([algorithm, bits]: readonly DerElement[]): PublicKeyInfo {
  if (bits?.tag !== BIT_STRING) throw new DerError('expected a public key');
  return { algorithm: sequenceIn(algorithm), bits: bits.content };
}

function sequenceIn(element: DerElement | undefined): Buffer {
  if (element?.tag !== SEQUENCE) throw new DerError('expected a certificate');
  return element.content;
}

/** Reads a UTCTime or GeneralizedTime, in milliseconds. Throws DerError for fractions of seconds and for dates that do not exist. */
function readTime({ tag, content }: DerElement): number {
  const text = content.toString('latin1');
  const [, digits = '', month, day, hour, minute, second, sign, hours = '0', minutes = '0'] = FORMAT.exec(text) ?? [];
  if (digits.length !== { [UTC_TIME]: 2, [GENERALIZED_TIME]: 4 }[tag]) throw new DerError('expected a time');
  const year = digits.length === 4 ? Number(digits) : Number(digits) + (Number(digits) < 50 ? 2000 : 1900);
  const iso = `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`;
  const local = Date.parse(`${iso}Z`);
  // Date.parse rejects most impossible dates, and takes 31 February for 3 March and 24:00 for the next day.
  if (Number.isNaN(local) || new Date(local).toISOString() !== `${iso}.000Z`) throw new DerError('expected a time');
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? local + offset : local - offset;
}

/** SHA-256, SHA-384 and SHA-512 with the lengths of their values; anything else is broken, or unknown to Go. */
const HASHES: ReadonlyMap<string, number> = new Map([
  ['2.16.840.1.101.3.4.2.1', 32],
  ['2.16.840.1.101.3.4.2.2', 48],
  ['2.16.840.1.101.3.4.2.3', 64],
]);
/** RSA with PKCS #1 v1.5 and ECDSA, with these hashes. */
const ALGORITHMS = new Set([
  ...['11', '12', '13'].map((end) => `1.2.840.113549.1.1.${end}`),
  ...['2', '3', '4'].map((end) => `1.2.840.10045.4.3.${end}`),
]);
const ED25519 = '1.3.101.112';
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const RSA_KEY = '06092a864886f70d0101010500';
const EC_KEYS = new Set(
  ['06052b81040021', '06082a8648ce3d030107', '06052b81040022', '06052b81040023'].map((curve) => `06072a8648ce3d0201${curve}`),
);
const ED25519_KEY = '06032b6570';
const UNCOMPRESSED = 0x04;

/** Whether Go accepts signatures with this algorithm (getSignatureAlgorithmFromAI in crypto/x509). Throws DerError. */
function isAccepted(algorithm: readonly DerElement[]): boolean {
  const type = readOid(elementAt(algorithm, 0));
  if (type === ED25519) return algorithm.length === 1;
  if (type !== RSA_PSS) return ALGORITHMS.has(type);
  const parameters = algorithm[1];
  return parameters?.tag === SEQUENCE && isAcceptedPss(readElements(parameters.content));
}

/** One hash for the message and the mask, a salt of its length, and no other trailer; the defaults of all of these mean SHA-1. */
function isAcceptedPss([hash, mask, salt, ...rest]: readonly DerElement[]): boolean {
  if (hash?.tag !== 0xa0 || mask?.tag !== 0xa1 || salt?.tag !== 0xa2 || rest.length > 0) return false;
  const hashType = algorithmIn(hash.content);
  const [maskType, maskHash] = readElements(elementAt(readElements(mask.content), 0).content);
  if (!maskType || !maskHash || readOid(maskType) !== MGF1) return false;
  const length = elementAt(readElements(salt.content), 0).content;
  return readOid(elementAt(readElements(maskHash.content), 0)) === hashType && length.length === 1 && length[0] === HASHES.get(hashType);
}

function algorithmIn(content: Buffer): string {
  return readOid(elementAt(readElements(elementAt(readElements(content), 0).content), 0));
}

/**
 * Whether Go accepts the key of a client or CA, which is described by the content of `algorithm` and by `bits`: RSA with a null, a curve by its
 * name with a point that is not compressed, Ed25519 (parsePublicKey in crypto/x509). The limits of RSA are those of crypto/tls and
 * crypto/rsa. Without them a client could have the server verify signatures with exponents of thousands of bits.
 */
function isUsableKey({ algorithm, bits }: PublicKeyInfo, { asymmetricKeyDetails }: KeyObject): boolean {
  const described = algorithm.toString('hex');
  if (described === ED25519_KEY) return true;
  if (described !== RSA_KEY) return EC_KEYS.has(described) && bits[1] === UNCOMPRESSED;
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return modulusLength >= 1024 && modulusLength <= 8192 && publicExponent > 1n && publicExponent < 2n ** 31n;
}
