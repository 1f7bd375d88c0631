import type { Random } from './random.js';

/** Fragments with a meaning to parsers. */
const TOKENS: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\\x',
  'null',
  '\0',
  '\xff\xfe',
  '\xef\xbb\xbf',
  '\xc0\x80',
  '\xed\xa0\x80',
  '---\n',
  '...\n',
  '&a ',
  '*a',
  '!!binary ',
  '!!python/object ',
  '<<: *a',
  '? ',
  '|\n',
  '>-\n',
  '\t',
  '# x\n',
  '%YAML 1.1\n',
  'k8s\0',
  '\x9f',
  '\xbf',
  '\x5f',
  '\xff',
  '\xd9\xd9\xf7',
  '\xfb\x7f\xf8\0\0\0\0\0\0',
  '1e999',
  '-',
  '0x',
  '\n',
];

/** A copy with some bytes flipped, removed, doubled, inserted or cut off. */
export function mutateBytes(source: Buffer, random: Random): Buffer {
  let bytes = source;
  for (let times = 1 + random.size(6); times > 0; times -= 1) bytes = mutateOnce(bytes, random);
  return bytes;
}

function mutateOnce(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.size(64));
  switch (random.below(7)) {
    case 0:
      return flip(bytes, at, 1 << random.below(8));
    case 1:
      return flip(bytes, at, 1 + random.below(255));
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 4:
      return bytes.subarray(0, at);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.size(16)), bytes.subarray(at)]);
    default:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(TOKENS), 'latin1'), bytes.subarray(at)]);
  }
}

function flip(source: Buffer, at: number, mask: number): Buffer {
  const bytes = Buffer.from(source);
  if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ mask;
  return bytes;
}
