// eslint-disable-next-line no-control-regex -- JSON forbids them in strings
const UNSAFE = /["\\<>&\u0000-\u001f\u2028\u2029\ud800-\udfff]/;
const HTML = /[<>&\u2028\u2029]/;
const EACH_HTML = new RegExp(HTML, 'g');

/** Encodes a string like Go's encoding/json: `<`, `>`, `&` and the line separators are escaped, lone surrogates replaced. */
export function goString(text: string): string {
  if (!UNSAFE.test(text)) return `"${text}"`;
  return escapeHtml(JSON.stringify(wellFormed(text)));
}

/** Replaces every lone surrogate by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** Applies Go's HTML escaping to JSON text; the characters can only occur in strings. */
export function escapeHtml(json: string): string {
  if (!HTML.test(json)) return json;
  return json.replace(EACH_HTML, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
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
