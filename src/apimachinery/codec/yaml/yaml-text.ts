import { DecodeError } from '../../errors/decode-error.js';

/** Decodes the bytes of a YAML body. Throws the error of libyaml's reader for invalid UTF-8 and for control characters. */
export function yamlText(body: Buffer): string {
  const text = body.toString('utf8');
  if (text.includes('\ufffd')) checkUtf8(body);
  const clean = text.startsWith('\ufeff') ? text.slice(1) : text;
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/.test(clean)) {
    throw new DecodeError('yaml: control characters are not allowed');
  }
  return clean;
}

function checkUtf8(bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    const width = widthOf(bytes[at] ?? 0);
    if (width === 0) throw new DecodeError('yaml: invalid leading UTF-8 octet');
    if (at + width > bytes.length) throw new DecodeError('yaml: incomplete UTF-8 octet sequence');
    checkSequence(bytes.subarray(at, at + width));
    at += width;
  }
}

/** The smallest code point that requires this many bytes. */
const SMALLEST = [0, 0, 0x80, 0x800, 0x10000];

function checkSequence(octets: Buffer): void {
  const width = octets.length;
  let value = (octets[0] ?? 0) & (width === 1 ? 0x7f : 0xff >> (width + 1));
  for (const octet of octets.subarray(1)) {
    if ((octet & 0xc0) !== 0x80) throw new DecodeError('yaml: invalid trailing UTF-8 octet');
    value = (value << 6) | (octet & 0x3f);
  }
  if (value < (SMALLEST[width] ?? 0)) throw new DecodeError('yaml: invalid length of a UTF-8 sequence');
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) throw new DecodeError('yaml: invalid Unicode character');
}

function widthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if ((lead & 0xe0) === 0xc0) return 2;
  if ((lead & 0xf0) === 0xe0) return 3;
  return (lead & 0xf8) === 0xf0 ? 4 : 0;
}
