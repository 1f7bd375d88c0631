import { DecodeError } from '../../errors/api-error.js';

/**
 * Limit on the values in a body, and in a stored object with its managedFields, at all levels: what is stored can be sent back, and no write
 * compares the fields of more. The largest recorded object has 157, a Lease with its managedFields about 60; decoding,
 * validating and comparing a value takes microseconds, and nothing interrupts that.
 */
export const MAX_VALUES = 10_000;

/** Limit on the values in a JSON patch: those of 10,000 operations, upstream's limit, and 10,000 more. */
export const MAX_PATCH_VALUES = 50_000;

/** The error of a body with more values. */
export function tooManyValues(limit = MAX_VALUES): DecodeError {
  return new DecodeError(`the body has more than ${limit} values`);
}

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Whether a JSON text has more values than allowed, which is found without parsing it: each value but the first follows a comma or an
 * opening bracket. Texts that are too short for that many are not looked at.
 */
export function hasTooManyValues(json: Uint8Array, limit = MAX_VALUES): boolean {
  return json.length > 2 * limit && countValues(json, limit) > limit;
}

/** Counts the values in a JSON text, up to one beyond the limit. */
export function countValues(json: Uint8Array, limit: number): number {
  let values = 0;
  for (let at = 0; at < json.length && values <= limit; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) values++;
  }
  return values;
}

/** Index of the closing quote, or of the end of the text. */
function endOfString(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
