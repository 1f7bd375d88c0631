import { type GeneralName, readAlternativeNames } from './general-name.js';
import { type NameConstraints, readNameConstraints } from './name-constraints.js';
import {
  type DerElement,
  BIT_STRING,
  BOOLEAN,
  DerError,
  elementAt,
  INTEGER,
  OCTET_STRING,
  readBoolean,
  readElements,
  readOid,
  readSequence,
} from './der-reader.js';

/** What the extensions of a certificate say, as far as verification needs it. */
export interface CertificateExtensions {
  /** Undefined without basic constraints. */
  readonly ca?: boolean;
  /** Maximum number of intermediate CAs below this one; undefined: unlimited. */
  readonly maxPathLength?: number;
  /** False if the key usage leaves out keyCertSign. */
  readonly maySign: boolean;
  /** Types of the extended key usage; none if it is absent. */
  readonly usages: readonly string[];
  readonly alternativeNames: readonly GeneralName[];
  readonly nameConstraints?: NameConstraints;
  /** Critical extensions that are not evaluated, or only in part. */
  readonly unhandled: readonly string[];
}

type Found = { -readonly [Name in keyof CertificateExtensions]?: CertificateExtensions[Name] };

/** One extension; returns true if it is not evaluated. Throws DerError. */
type Reader = (value: Buffer, found: Found, critical: boolean) => boolean | void;

const KEY_CERT_SIGN = 0x04;

const notCritical =
  (read: (value: Buffer) => unknown): Reader =>
  (value, _found, critical) => {
    if (critical) throw new DerError('an extension is critical that must not be');
    read(value);
  };

/**
 * The extensions that Go's crypto/x509 handles (processExtensions in parser.go). Policy constraints are refused, also where they are not
 * critical, because policies are not evaluated; without them policies have no effect.
 */
const READERS: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    '2.5.29.14': notCritical((value) => elementAt(readElements(value), 0)),
    '2.5.29.15': (value, found) => {
      const { tag, content } = elementAt(readElements(value), 0);
      const [unused = 8, first = 0, second = 0] = content;
      const padding = content.length > 1 ? (content.at(-1) ?? 0) & ((1 << unused) - 1) : unused;
      if (tag !== BIT_STRING || unused > 7 || padding !== 0) throw new DerError('expected a key usage');
      // Nine bits have a meaning; without any of them everything is allowed.
      found.maySign = (first | (second & 0x80)) === 0 || (first & KEY_CERT_SIGN) !== 0;
    },
    '2.5.29.17': (value, found) => {
      found.alternativeNames = readAlternativeNames(value);
      return found.alternativeNames.length === 0;
    },
    '2.5.29.19': readBasicConstraints,
    '2.5.29.30': (value, found) => {
      const constraints = readNameConstraints(value);
      found.nameConstraints = constraints;
      return constraints.isPartial;
    },
    '2.5.29.31': (value) => void readSequence(value),
    '2.5.29.32': (value) => {
      const types = readSequence(value).map(({ content }) => readOid(elementAt(readElements(content), 0)));
      if (new Set(types).size < types.length) throw new DerError('a policy is repeated');
    },
    '2.5.29.33': (value) => void readSequence(value),
    '2.5.29.35': notCritical(readSequence),
    '2.5.29.36': () => {
      throw new DerError('policy constraints are not supported');
    },
    '2.5.29.37': (value, found) => void (found.usages = readSequence(value).map(readOid)),
    '2.5.29.54': (value) => void elementAt(readElements(value), 0),
    '1.3.6.1.5.5.7.1.1': notCritical(readSequence),
  }),
);

/** Throws DerError, also for a repeated extension. */
export function readExtensions(elements: readonly DerElement[]): CertificateExtensions {
  const found: Found = {};
  const unhandled: string[] = [];
  const seen = new Set<string>();
  for (const element of elements) {
    const { type, critical, value } = readExtension(element);
    if (seen.has(type)) throw new DerError(`the extension ${type} is repeated`);
    seen.add(type);
    const reader = READERS.get(type);
    if ((reader === undefined || reader(value, found, critical) === true) && critical) unhandled.push(type);
  }
  return { maySign: true, usages: [], alternativeNames: [], ...found, unhandled };
}

function readExtension({ content }: DerElement): { type: string; critical: boolean; value: Buffer } {
  const parts = readElements(content);
  const flag = parts[1]?.tag === BOOLEAN ? parts[1] : undefined;
  const value = elementAt(parts, flag ? 2 : 1);
  if (value.tag !== OCTET_STRING) throw new DerError('expected the value of an extension');
  return { type: readOid(elementAt(parts, 0)), critical: flag !== undefined && readBoolean(flag), value: value.content };
}

function readBasicConstraints(value: Buffer, found: Found): void {
  const [first, ...rest] = readSequence(value);
  const flag = first?.tag === BOOLEAN ? first : undefined;
  const number = flag ? rest[0] : first;
  found.ca = flag !== undefined && readBoolean(flag);
  if (number?.tag !== INTEGER) return;
  const { length } = number.content;
  if (length === 0 || length > 4 || number.content.readInt8() < 0) throw new DerError('expected a path length');
  found.maxPathLength = number.content.readIntBE(0, length);
}
