import { isIP } from 'node:net';
import { AuthenticationError } from '../authenticator.js';
import {
  type DerElement,
  BIT_STRING,
  BOOLEAN,
  DerError,
  INTEGER,
  OCTET_STRING,
  elementAt,
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

/** The names that certificates below a CA may have. */
interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
  /** Whether there are constraints of types that are not evaluated, such as directory names. */
  readonly isPartial: boolean;
}

const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;

/** Reads the extension (RFC 5280, 4.2.1.10). Throws DerError. */
function readNameConstraints(value: Buffer): NameConstraints {
  const trees = readSequence(value);
  const [first, second] = trees;
  const isValid =
    trees.length === 1 ? first?.tag === PERMITTED || first?.tag === EXCLUDED : first?.tag === PERMITTED && second?.tag === EXCLUDED;
  const bases = (wanted: number) =>
    trees
      .filter(({ tag }) => tag === wanted)
      .flatMap(({ content }) => readElements(content).map((each) => elementAt(readElements(each.content), 0)));
  const [permitted, excluded] = [bases(PERMITTED), bases(EXCLUDED)];
  if (!isValid || trees.length > 2 || permitted.length + excluded.length === 0) throw new DerError('expected name constraints');
  const known = (list: typeof permitted) => list.flatMap((each) => checked(readGeneralName(each)));
  const constraints = { permitted: known(permitted), excluded: known(excluded) };
  const count = constraints.permitted.length + constraints.excluded.length;
  return { ...constraints, isPartial: count < permitted.length + excluded.length };
}

function checked(base: GeneralName | undefined): GeneralName[] {
  if (!base) return [];
  const { tag, text, bytes } = base;
  const domain = text.startsWith('.') ? text.slice(1) : text;
  const valid =
    tag === IP ? isRange(bytes) : tag === EMAIL && text.includes('@') ? mailbox(text) : isDomain(domain) && (text === '' || domain !== '');
  if (!valid || (tag === URI && isIP(text) !== 0)) throw new DerError('expected a name constraint');
  return [base];
}

/** Address and mask, which is ones followed by zeros. */
function isRange(bytes: Buffer): boolean {
  const mask = bytes.subarray(bytes.length / 2);
  const ones = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bytes.length === 8 || bytes.length === 32) && /^1*0*$/.test(ones);
}

/** Throws an AuthenticationError unless the constraints allow all of these alternative names (crypto/x509/constraints.go). */
export function checkNames(names: readonly GeneralName[], { permitted, excluded }: NameConstraints): void {
  for (const name of names) {
    const meets = matcherOf(name);
    const wanted = permitted.filter(({ tag }) => tag === name.tag);
    const isAllowed = wanted.length === 0 || wanted.some((base) => meets(base, false));
    if (!isAllowed || excluded.some((base) => base.tag === name.tag && meets(base, true))) {
      throw new AuthenticationError('x509: a certificate has a name that the constraints of its authorities do not allow');
    }
  }
}

/** Whether the name is below a base. What cannot be compared is refused. */
function matcherOf({ tag, text, bytes }: GeneralName): (base: GeneralName, excludes: boolean) => boolean {
  if (tag === IP) return (base) => isInRange(bytes, base.bytes);
  if (tag === DNS) {
    if (!isDomain(text)) throw new AuthenticationError('x509: cannot compare a DNS name with constraints');
    return (base, excludes) => isBelow(text, base.text) || (excludes && isWildcardOf(text, base.text));
  }
  if (tag === URI) {
    const host = hostOf(text);
    if (host === '' || isIP(host) !== 0 || host.startsWith('[')) {
      throw new AuthenticationError('x509: cannot compare a URI with constraints');
    }
    return (base, excludes) => isBelow(host, base.text) || (excludes && isWildcardOf(host, base.text));
  }
  const own = mailbox(text);
  if (!own) throw new AuthenticationError('x509: cannot compare a mailbox with constraints');
  return (base, excludes) => {
    const other = mailbox(base.text);
    if (other) return own.local === other.local && own.domain === other.domain;
    return isBelow(own.domain, base.text) || (excludes && isWildcardOf(own.domain, base.text));
  };
}

/** A domain is below itself and below what follows any of its dots; one with a dot in front has only domains below it. */
function isBelow(domain: string, base: string): boolean {
  const [name, suffix] = [domain.toLowerCase(), base.toLowerCase()];
  if (suffix === '' || name === suffix) return true;
  return name.endsWith(suffix.startsWith('.') ? suffix : `.${suffix}`);
}

/** Whether a wildcard covers an excluded domain. */
function isWildcardOf(domain: string, base: string): boolean {
  const dot = base.indexOf('.');
  return domain.startsWith('*') && dot >= 0 && domain.slice(domain.indexOf('.')).toLowerCase() === base.slice(dot).toLowerCase();
}

function isInRange(address: Buffer, range: Buffer): boolean {
  const size = range.length / 2;
  return address.length === size && address.every((byte, at) => ((byte ^ (range[at] ?? 0)) & (range[size + at] ?? 0)) === 0);
}

/** A mailbox without quotes and escapes; undefined for any other text. */
function mailbox(text: string): { readonly local: string; readonly domain: string } | undefined {
  // eslint-disable-next-line security/detect-unsafe-regex -- linear: no character may belong to two parts in a row
  const [, local, domain = ''] = /^([\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*)@(.+)$/.exec(text) ?? [];
  return local !== undefined && isDomain(domain) ? { local, domain: domain.toLowerCase() } : undefined;
}

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;

/** A name by its type: an address, or a text. */
interface GeneralName {
  readonly tag: typeof EMAIL | typeof DNS | typeof URI | typeof IP;
  readonly bytes: Buffer;
  /** '' for an address. */
  readonly text: string;
}

/** Whether names of this type can be evaluated. */
function isEvaluated(tag: number): tag is GeneralName['tag'] {
  return tag === EMAIL || tag === DNS || tag === URI || tag === IP;
}

/** Reads the subject alternative names that can be evaluated; others say nothing. Throws DerError where Go's crypto/x509 fails. */
function readAlternativeNames(value: Buffer): GeneralName[] {
  const names = readSequence(value).flatMap((element) => readGeneralName(element) ?? []);
  for (const { tag, text, bytes } of names) {
    if (tag === IP && bytes.length !== 4 && bytes.length !== 16) throw new DerError('expected an IP address');
    if (tag === URI) hostOf(text);
  }
  return names;
}

/** Undefined for a type that is not evaluated. */
function readGeneralName({ tag, content }: DerElement): GeneralName | undefined {
  if (!isEvaluated(tag)) return undefined;
  if (tag === IP) return { tag, bytes: content, text: '' };
  if (content.some((byte) => byte > 0x7f)) throw new DerError('expected a name of ASCII characters');
  return { tag, bytes: content, text: content.toString('latin1') };
}

// eslint-disable-next-line security/detect-unsafe-regex -- linear: no character may belong to two parts in a row
const DOMAIN = /^[!-\-/-~]+(?:\.[!-\-/-~]+)*$/;

/** Whether Go accepts the text as a domain (domainNameValid in crypto/x509/parser.go); the empty text is one. */
function isDomain(text: string): boolean {
  return text === '' || DOMAIN.test(text);
}

/** Scheme, authority and the rest of a URI of visible characters, without broken escapes. */
// eslint-disable-next-line security/detect-unsafe-regex -- linear: no character may belong to two parts in a row
const PARTS = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/([^/?#]*))?(?:[!-$&-~]|%[0-9A-Fa-f]{2})*$/;
/** What follows the user in an authority: a domain or address, and the port. */
// eslint-disable-next-line security/detect-unsafe-regex -- linear: no character may belong to two parts in a row
const HOST = /^(?:[\w.~!$&'()*+,;=%:@-]*@)?((?:\[[0-9A-Fa-f:.]+\])?[^@:%[\]\\]*)(?::\d*)?$/;

/** The host of a URI without its port; '' if it has none. Throws DerError. */
function hostOf(uri: string): string {
  const parts = PARTS.exec(uri);
  const host = HOST.exec(parts?.[1] ?? '')?.[1];
  if (!parts || host === undefined || !isDomain(host)) throw new DerError('expected a URI');
  return host;
}
