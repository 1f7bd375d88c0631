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
  // The second byte excludes overlong forms, surrogates, and what is beyond Unicode.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < low || second > high) return 0;
  for (let next = at + 2; next < at + length; next++) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
