import { randomInt } from 'node:crypto';

/** Makes a name from a metadata.generateName prefix. */
export type NameGenerator = (prefix: string) => string;

/** No vowels and no look-alikes, so that suffixes spell no words (apimachinery pkg/util/rand). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_NAME_BYTES = 63;

/** Returns the prefix plus five random characters; the prefix is cut so that the name has at most 63 bytes. */
export function generateName(prefix: string): string {
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i++) suffix += ALPHABET[randomInt(ALPHABET.length)];
  return truncate(prefix) + suffix;
}

function truncate(prefix: string): string {
  const bytes = Buffer.from(prefix, 'utf8');
  const limit = MAX_NAME_BYTES - SUFFIX_LENGTH;
  return bytes.length <= limit ? prefix : bytes.subarray(0, limit).toString('utf8');
}
