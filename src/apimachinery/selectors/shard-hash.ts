/** An unsigned number of up to 64 bits, or 2^64, in two halves: comparing and multiplying them needs no BigInt. */
export interface Uint64 {
  readonly high: number;
  readonly low: number;
}

const HALF = 2 ** 32;
/** The prime is 2^40 + 435. */
const PRIME_LOW = 435;
const OFFSET: Uint64 = { high: 0xcbf29ce4, low: 0x84222325 };

const ASCII = /^[\0-\x7f]*$/;

/** 64-bit FNV-1a of a text's UTF-8 bytes. It determines the shard of an object, so it must never change. */
export function shardHash(text: string): Uint64 {
  let { high, low } = OFFSET;
  const bytes = ASCII.test(text) ? undefined : Buffer.from(text);
  const length = bytes ? bytes.length : text.length;
  for (let i = 0; i < length; i++) {
    const mixed = (low ^ (bytes ? (bytes[i] ?? 0) : text.charCodeAt(i))) >>> 0;
    const product = mixed * PRIME_LOW;
    low = product % HALF;
    high = (high * PRIME_LOW + Math.floor(product / HALF) + mixed * 256) % HALF;
  }
  return { high, low };
}

/** Whether a is less than b. */
export function less(a: Uint64, b: Uint64): boolean {
  return a.high === b.high ? a.low < b.low : a.high < b.high;
}

/** Parses `0x` and 16 or 17 hexadecimal digits, which the caller has checked. */
export function parseHex64(text: string): Uint64 {
  return { high: parseInt(text.slice(2, -8), 16), low: parseInt(text.slice(-8), 16) };
}
