import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const COLOURS = 256;

/** A picture as Chromium takes it (8-bit RGB, not interlaced) with a palette: it takes less than half, and colours change by little. */
export function compactPng(png: Buffer): Buffer {
  const header = chunksOf(png, 'IHDR');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (header.readUInt16BE(8) !== 0x0802 || header[12] !== 0) throw new Error('the picture is not 8-bit RGB');
  const pixels = unfiltered(inflateSync(chunksOf(png, 'IDAT')), width * 3, height);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) counts.set(pixels.readUIntBE(at, 3), (counts.get(pixels.readUIntBE(at, 3)) ?? 0) + 1);
  const { palette, places } = paletteOf([...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour));
  const lines = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < width * height; at++) lines[at + Math.floor(at / width) + 1] = places.get(pixels.readUIntBE(at * 3, 3)) ?? 0;
  const indexed = Buffer.from(header).fill(3, 9, 10);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(lines, { level: 9, memLevel: 9 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', indexed), chunk('PLTE', colours), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** The contents of all chunks of this type. */
function chunksOf(png: Buffer, type: string): Buffer {
  const found: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === type) found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return Buffer.concat(found);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Each line begins with its filter: what its bytes are differences to. */
function unfiltered(lines: Buffer, length: number, height: number): Buffer {
  const pixels = Buffer.alloc(length * height);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (length + 1)];
    for (let x = 0; x < length; x++) {
      const at = y * length + x;
      const left = x < 3 ? 0 : (pixels[at - 3] ?? 0);
      const up = pixels[at - length] ?? 0;
      const corner = x < 3 ? 0 : (pixels[at - length - 3] ?? 0);
      const expected = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      pixels[at] = (lines[y * (length + 1) + 1 + x] ?? 0) + expected;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** At most 256 of these colours, the most frequent of which come first, and the place of the nearest one for each of them. */
function paletteOf(colours: readonly number[]): { palette: number[]; places: Map<number, number> } {
  for (let most = 0; ; most += 2) {
    const palette: number[] = [];
    for (const colour of colours) if (!palette.some((chosen) => distance(chosen, colour) <= most)) palette.push(colour);
    if (palette.length > COLOURS) continue;
    const nearest = (colour: number): number =>
      palette.reduce((best, chosen, at) => (distance(chosen, colour) < distance(palette[best] ?? 0, colour) ? at : best), 0);
    return { palette, places: new Map(colours.map((colour) => [colour, nearest(colour)])) };
  }
}

/** By the channel that differs most. */
function distance(one: number, other: number): number {
  return Math.max(...[16, 8, 0].map((shift) => Math.abs(((one >> shift) & 255) - ((other >> shift) & 255))));
}
