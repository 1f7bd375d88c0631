const NOT_ASCII = /[\x80-\xff]/;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/**
 * Decodes a header value: Node reads headers as Latin-1, but names in them are UTF-8. Bytes that are not become U+FFFD, as in what
 * kube-apiserver writes, and never the letter of a name that another user has.
 */
export function headerText(value: string): string {
  return NOT_ASCII.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

/** The key after `prefix` in a lower-case header name, percent-decoded; a key with an invalid escape is kept. */
export function extraKey(header: string, prefix: string): string {
  const key = header.slice(prefix.length);
  if (BROKEN_ESCAPE.test(key)) return key;
  return headerText(key.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))));
}
