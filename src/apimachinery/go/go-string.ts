// eslint-disable-next-line no-control-regex -- JSON forbids them in strings
const UNSAFE = /["\\<>&\u0000-\u001f\u2028\u2029\ud800-\udfff]/;
const HTML = /[<>&\u2028\u2029]/;

/** Encodes a string like Go's encoding/json: `<`, `>`, `&` and the line separators are escaped, lone surrogates replaced. */
export function goString(text: string): string {
  if (!UNSAFE.test(text)) return `"${text}"`;
  return escapeHtml(JSON.stringify(text.toWellFormed()));
}

/** Applies Go's HTML escaping to JSON text; the characters can only occur in strings. */
export function escapeHtml(json: string): string {
  if (!HTML.test(json)) return json;
  return escapeBytes(Buffer.from(json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')));
}

const ESCAPES: readonly (Buffer | undefined)[] = Array.from({ length: 256 }, (_, byte) =>
  '<>&'.includes(String.fromCharCode(byte)) ? Buffer.from(`\\u00${byte.toString(16)}`) : undefined,
);
const ESCAPE_BYTES = 6;

/** In bytes: a text of nothing else takes five times as long if a function replaces each character. */
function escapeBytes(json: Buffer): string {
  let escapes = 0;
  for (const byte of json) if (ESCAPES[byte]) escapes++;
  const out = Buffer.allocUnsafe(json.length + escapes * (ESCAPE_BYTES - 1));
  let written = 0;
  for (const byte of json) {
    const escape = ESCAPES[byte];
    if (escape) for (let at = 0; at < ESCAPE_BYTES; at++) out[written++] = escape[at] ?? 0;
    else out[written++] = byte;
  }
  return out.toString();
}

const BEYOND_BMP_ORDER = /[\ud800-\udfff]/;

/** Sorts keys in place by their UTF-8 bytes, which differs from UTF-16 order only for surrogates. */
export function sortKeys(keys: string[]): string[] {
  if (keys.length < 2) return keys;
  if (!keys.some((key) => BEYOND_BMP_ORDER.test(key))) return keys.sort();
  const encoded = keys.map((key) => ({ key, bytes: Buffer.from(key) }));
  encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  for (const [at, { key }] of encoded.entries()) keys[at] = key;
  return keys;
}

/** Maximum number of characters that a message shows of one value. The longest that the recordings show has a third of this. */
const SHOWN_CHARACTERS = 4096;

/** The beginning of a long text, for a message; a short one as it is. */
export function shown(text: string, characters = SHOWN_CHARACTERS): string {
  if (text.length <= characters) return text;
  // Of a surrogate pair, neither half.
  const end = /[\ud800-\udbff]/.test(text.charAt(characters - 1)) ? characters - 1 : characters;
  return `${text.slice(0, end)}…`;
}

/**
 * Go's strconv.Quote: printable runes are kept, all others escaped. A byte that is not UTF-8 may be represented in the text by the lone
 * surrogate U+DC00 plus the byte, and is shown as that byte. Of a long text, the beginning is quoted.
 */
export function quote(text: string): string {
  return `"${shown(text).replace(NOT_PLAIN, quoteRune)}"`;
}

/** All characters except printable ASCII without need of escaping. */
const NOT_PLAIN = /[^ !#-[\]-~]/gu;

const QUOTED_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '\\"',
    '\\': '\\\\',
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
  }),
);

function quoteRune(char: string): string {
  const escaped = QUOTED_ESCAPES.get(char);
  if (escaped !== undefined) return escaped;
  if (isPrintable(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code & 0xff).toString(16)}`;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

const REPLACEMENT = Buffer.from('\ufffd');

/** Decodes UTF-8 as Go does: each byte that is not part of a valid sequence becomes a separate U+FFFD. */
export function goUtf8(bytes: Buffer): string {
  const out = Buffer.allocUnsafe(bytes.length * REPLACEMENT.length);
  let written = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      for (const byte of REPLACEMENT) out[written++] = byte;
      at++;
    }
    for (const end = at + length; at < end; at++) out[written++] = bytes[at] ?? 0;
  }
  return out.toString('utf8', 0, written);
}

/** Length of the valid sequence that starts at `at`; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (!mayFollow(lead, bytes[at + 1] ?? 0)) return 0;
  for (let next = at + 2; next < at + length; next++) if (!isContinuation(bytes[next] ?? 0)) return 0;
  return length;
}

/** Whether a byte may be the second: not in overlong forms, in surrogates, and in what is beyond Unicode. */
function mayFollow(lead: number, second: number): boolean {
  if (!isContinuation(second)) return false;
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  return lead !== 0xf4 || second < 0x90;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Compares texts for sorting as Go does, by the bytes of their UTF-8 form; JavaScript's `<` differs for surrogate pairs. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!MAY_DIFFER.test(a) || !MAY_DIFFER.test(b)) return a < b ? -1 : 1;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** The order of two texts that both have these depends on which of them comes first. */
const MAY_DIFFER = /[\ud800-\uffff]/;

/** Ranks surrogates (code points above U+FFFF) above the rest of the basic plane. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

const DECIMAL = /^[+-]?[0-9]+$/;

/** Go's strconv.ParseInt(text, 10, 64); undefined if it fails. */
export function parseInt64(text: string): bigint | undefined {
  if (!DECIMAL.test(text) || text.length > 100) return undefined;
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}

/** The error text of a failed strconv.ParseInt. */
export function parseInt64Error(text: string): string {
  return `strconv.ParseInt: parsing ${quote(text)}: ${DECIMAL.test(text) ? 'value out of range' : 'invalid syntax'}`;
}
