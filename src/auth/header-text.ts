import { isUtf8 } from 'node:buffer';

/** The value of a header about a user: headers are read as Latin-1, names in them are UTF-8. */
export function headerText(value: string): string {
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
