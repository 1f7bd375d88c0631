import { BOOLEAN, DerError, INTEGER, OCTET_STRING, readElements, readOid, readSequence, SEQUENCE } from './der-reader.js';
import type { DerElement } from './der-reader.js';

/** An attribute of a name, such as CN, in certificate order. */
interface NameAttribute {
  readonly type: string;
  readonly value: string;
}

/** Fields of a certificate that node:crypto does not expose, or only as a text with escapes. */
export interface CertificateFields {
  readonly subject: readonly NameAttribute[];
  readonly signatureAlgorithm: string;
  /** Types of extensions. */
  readonly extensions: ReadonlySet<string>;
  /** Types of critical extensions. */
  readonly criticalExtensions: ReadonlySet<string>;
  /** Maximum number of intermediate CAs below this one; undefined: unlimited. */
  readonly maxPathLength?: number;
}

export const COMMON_NAME = '2.5.4.3';
export const ORGANIZATION = '2.5.4.10';
export const BASIC_CONSTRAINTS = '2.5.29.19';

const EXTENSIONS = 0xa3;
const VERSION = 0xa0;

/** Reads the DER of a certificate (RFC 5280, 4.1). Throws DerError. */
export function readCertificateFields(der: Buffer): CertificateFields {
  const [body, algorithm] = readSequence(der);
  if (body?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE) throw new DerError('expected a certificate');
  const parts = readElements(body.content);
  // [version], serial number, algorithm, issuer, validity, subject, key, …
  const subject = parts[parts[0]?.tag === VERSION ? 5 : 4];
  if (subject?.tag !== SEQUENCE) throw new DerError('expected a subject');
  const extensions = parts.filter(({ tag }) => tag === EXTENSIONS).flatMap(({ content }) => readSequence(content).map(readExtension));
  const maxPathLength = extensions.flatMap(({ type, value }) => (type === BASIC_CONSTRAINTS ? readPathLength(value) : []))[0];
  return {
    subject: readName(subject.content),
    signatureAlgorithm: readOid(elementAt(readElements(algorithm.content), 0)),
    extensions: new Set(extensions.map(({ type }) => type)),
    criticalExtensions: new Set(extensions.filter(({ critical }) => critical).map(({ type }) => type)),
    ...(maxPathLength === undefined ? {} : { maxPathLength }),
  };
}

function readName(content: Buffer): NameAttribute[] {
  const attributes = readElements(content).flatMap((set) => readElements(set.content));
  return attributes.map((attribute) => {
    const parts = readElements(attribute.content);
    return { type: readOid(elementAt(parts, 0)), value: readString(elementAt(parts, 1)) };
  });
}

interface Extension {
  readonly type: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

function readExtension({ content }: DerElement): Extension {
  const parts = readElements(content);
  const critical = parts[1]?.tag === BOOLEAN;
  const value = elementAt(parts, critical ? 2 : 1);
  if (value.tag !== OCTET_STRING) throw new DerError('expected the value of an extension');
  return { type: readOid(elementAt(parts, 0)), critical: critical && parts[1]?.content[0] !== 0, value: value.content };
}

function readPathLength(value: Buffer): number[] {
  const number = readSequence(value).find(({ tag }) => tag === INTEGER);
  if (!number) return [];
  if (number.content.length === 0 || number.content.length > 4) throw new DerError('expected a path length');
  return [number.content.readIntBE(0, number.content.length)];
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const UTF16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true });

/** Decodes a string of a name; accepts the types that Go's crypto/x509 accepts. */
function readString({ tag, content }: DerElement): string {
  try {
    if (tag === 12) return UTF8.decode(content);
    if (tag === 30) return UTF16.decode(content);
  } catch {
    throw new DerError('a string is not encoded as declared');
  }
  // PrintableString, IA5String, NumericString, T61String
  if (tag === 19 || tag === 22 || tag === 18 || tag === 20) return content.toString('latin1');
  throw new DerError('a text is expected');
}

function elementAt(elements: readonly DerElement[], at: number): DerElement {
  const element = elements[at];
  if (!element) throw new DerError('missing element');
  return element;
}
