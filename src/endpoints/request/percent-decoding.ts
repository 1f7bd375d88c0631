const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;

/** Text with its percent escapes taken for UTF-8 bytes; undefined where an escape is malformed. Bytes that are no UTF-8 become U+FFFD. */
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
  return Buffer.from(bytes).toString('utf8');
}
