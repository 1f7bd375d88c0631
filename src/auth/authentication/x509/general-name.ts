import { type DerElement, DerError, readSequence } from './der-reader.js';

export const EMAIL = 0x81;
export const DNS = 0x82;
export const URI = 0x86;
export const IP = 0x87;

/** A name by its type: an address, or a text. */
export interface GeneralName {
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
export function readAlternativeNames(value: Buffer): GeneralName[] {
  const names = readSequence(value).flatMap((element) => readGeneralName(element) ?? []);
  for (const { tag, text, bytes } of names) {
    if (tag === IP && bytes.length !== 4 && bytes.length !== 16) throw new DerError('expected an IP address');
    if (tag === URI) hostOf(text);
  }
  return names;
}

/** Undefined for a type that is not evaluated. */
export function readGeneralName({ tag, content }: DerElement): GeneralName | undefined {
  if (!isEvaluated(tag)) return undefined;
  if (tag === IP) return { tag, bytes: content, text: '' };
  if (content.some((byte) => byte > 0x7f)) throw new DerError('expected a name of ASCII characters');
  return { tag, bytes: content, text: content.toString('latin1') };
}

// eslint-disable-next-line security/detect-unsafe-regex -- linear: no character may belong to two parts in a row
const DOMAIN = /^[!-\-/-~]+(?:\.[!-\-/-~]+)*$/;

/** Whether Go accepts the text as a domain (domainNameValid in crypto/x509/parser.go); the empty text is one. */
export function isDomain(text: string): boolean {
  return text === '' || DOMAIN.test(text);
}

/** Scheme, authority and the rest of a URI of visible characters, without broken escapes. */
// eslint-disable-next-line security/detect-unsafe-regex -- linear: no character may belong to two parts in a row
const PARTS = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/([^/?#]*))?(?:[!-$&-~]|%[0-9A-Fa-f]{2})*$/;
/** What follows the user in an authority: a domain or address, and the port. */
// eslint-disable-next-line security/detect-unsafe-regex -- linear: no character may belong to two parts in a row
const HOST = /^(?:[\w.~!$&'()*+,;=%:@-]*@)?((?:\[[0-9A-Fa-f:.]+\])?[^@:%[\]\\]*)(?::\d*)?$/;

/** The host of a URI without its port; '' if it has none. Throws DerError. */
export function hostOf(uri: string): string {
  const parts = PARTS.exec(uri);
  const host = HOST.exec(parts?.[1] ?? '')?.[1];
  if (!parts || host === undefined || !isDomain(host)) throw new DerError('expected a URI');
  return host;
}
