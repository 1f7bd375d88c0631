import { isIP } from 'node:net';
import { AuthenticationError } from '../authentication-error.js';
import { DerError, elementAt, readElements, readSequence } from './der-reader.js';
import { type GeneralName, DNS, EMAIL, hostOf, IP, isDomain, readGeneralName, URI } from './general-name.js';

/** The names that certificates below a CA may have. */
export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
  /** Whether there are constraints of types that are not evaluated, such as directory names. */
  readonly isPartial: boolean;
}

const PERMITTED = 0xa0;
const EXCLUDED = 0xa1;

/** Reads the extension (RFC 5280, 4.2.1.10). Throws DerError. */
export function readNameConstraints(value: Buffer): NameConstraints {
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
