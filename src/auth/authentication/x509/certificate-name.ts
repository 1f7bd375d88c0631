import { type DerElement, DerError, elementAt, readElements, readOid, SEQUENCE } from './der-reader.js';

/** An attribute of a name, such as CN, in certificate order. */
export interface NameAttribute {
  readonly type: string;
  readonly value: string;
}

export const COMMON_NAME = '2.5.4.3';
export const ORGANIZATION = '2.5.4.10';

const SET = 0x31;

/** Reads the content of a distinguished name. Throws DerError. */
export function readName(content: Buffer): NameAttribute[] {
  const attributes = readElements(content).flatMap((part) => readElements(expected(part, SET)));
  return attributes.map((attribute) => {
    const parts = readElements(expected(attribute, SEQUENCE));
    return { type: readOid(elementAt(parts, 0)), value: readString(elementAt(parts, 1)) };
  });
}

function expected({ tag, content }: DerElement, wanted: number): Buffer {
  if (tag !== wanted) throw new DerError('expected a name');
  return content;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const UTF16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true });

/** The types whose characters Go's crypto/x509 checks: PrintableString with its exceptions, IA5String and NumericString. */
const CHARACTERS: ReadonlyMap<number, RegExp> = new Map([
  [18, /^[0-9 ]*$/],
  [19, /^[A-Za-z0-9 '()*+,\-./:=?&]*$/],
  // eslint-disable-next-line no-control-regex
  [22, /^[\x00-\x7f]*$/],
]);
const T61 = 20;
/** Characters of a BMPString that Go rejects besides surrogates. */
const NONCHARACTERS = /[\ufdd0-\ufdef\ufffe\uffff]/;

/** Decodes a string of a name by the rules of Go's parseASN1String (crypto/x509/parser.go); other types are rejected. */
function readString({ tag, content }: DerElement): string {
  if (tag === 12) return decoded(UTF8, content);
  if (tag === 30) {
    const text = decoded(UTF16, content);
    if (NONCHARACTERS.test(text) || /[\ud800-\udfff]/.test(text)) throw new DerError('a string is not encoded as declared');
    return text.endsWith('\0') ? text.slice(0, -1) : text;
  }
  const text = content.toString('latin1');
  if (tag !== T61 && CHARACTERS.get(tag)?.test(text) !== true) throw new DerError('a string is not encoded as declared');
  return text;
}

function decoded(decoder: typeof UTF8, content: Buffer): string {
  try {
    return decoder.decode(content);
  } catch {
    throw new DerError('a string is not encoded as declared');
  }
}
