import { isUtf8 } from 'node:buffer';

/** Decodes UTF-8 as Go does: each byte that is not part of a valid sequence becomes a separate U+FFFD. */
export function goUtf8(bytes: Buffer): string {
  let out = '';
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    out += `${bytes.toString('utf8', from, at)}\ufffd`;
    from = ++at;
  }
  return out + bytes.toString('utf8', from);
}

/** Length of the valid sequence that starts at `at`; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
