import { isUtf8 } from 'node:buffer';

const NOT_ASCII = /[\x80-\xff]/;

/** The value of a header: Node reads them as Latin-1, names in them are UTF-8. */
export function headerText(value: string): string {
  if (!NOT_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** The key that stands behind `prefix` in the name of a header, which is in lower case; escapes that cannot be read are left. */
export function extraKey(header: string, prefix: string): string {
  const key = header.slice(prefix.length);
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
