import { isUtf8 } from 'node:buffer';

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
/** A byte that is not UTF-8 is represented by a lone surrogate in the range that starts here, so that error texts can show it. */
const ESCAPED_BYTE = 0xdc00;

/** Decodes percent escapes as UTF-8 bytes. Undefined if an escape is malformed. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (BAD_ESCAPE.test(text)) return undefined;
  const bytes: number[] = [];
  const source = Buffer.from(text, 'utf8');
  for (let at = 0; at < source.length; at += 1) {
    const byte = source[at] ?? 0;
    if (byte === 0x25) {
      bytes.push(Number.parseInt(source.toString('latin1', at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(byte);
  }
  return textOf(Buffer.from(bytes));
}

function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)));
    text += length === undefined ? String.fromCharCode(ESCAPED_BYTE + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return text;
}
