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
