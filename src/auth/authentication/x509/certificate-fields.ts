import { type CertificateExtensions, readExtensions } from './certificate-extensions.js';
import { type NameAttribute, readName } from './certificate-name.js';
import { type DerElement, BIT_STRING, DerError, elementAt, INTEGER, readElements, readSequence, SEQUENCE } from './der-reader.js';

/** The contents of the AlgorithmIdentifier and the BIT STRING of a key. */
export interface PublicKeyInfo {
  readonly algorithm: Buffer;
  readonly bits: Buffer;
}

/** Fields of a certificate that node:crypto does not expose, or not exactly. */
export interface CertificateFields {
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
