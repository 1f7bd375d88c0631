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
