import { isUtf8 } from 'node:buffer';

const NOT_ASCII = /[\x80-\xff]/;

/** Decodes a header value: Node reads headers as Latin-1, but user names in them are UTF-8. */
export function headerText(value: string): string {
  if (!NOT_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** The key after `prefix` in a lower-case header name, percent-decoded; invalid escapes are kept. */
export function extraKey(header: string, prefix: string): string {
  const key = header.slice(prefix.length);
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
