import { countValues, MAX_VALUES } from '../../apimachinery/codec/limits/body-limits.js';

/**
 * Memory of a value of a write, and of a byte of its text: in the object that was sent, in the one that is stored, with the fields of its
 * manager, and in their JSON.
 */
const VALUE_BYTES = 480;
const TEXT_BYTES = 3;
/** Memory of a part of a selector, besides its text: a word, and what an operator or bracket makes of it. */
const WORD_BYTES = 110;
const OPERATOR_BYTES = 450;
const SELECTOR_BYTES = 512;
const WORD_ENDS = /[,|]/g;
const OPERATORS = /[=!<>(]+/g;

/** Memory of an open watch, with its timers and its stream, beyond the charge for any request. */
export const WATCH_BYTES = 4 * 1024;

/** Memory that a write takes, by the object in its body and the length of the body. */
export function objectBytes(bodyLength: number, object: unknown): number {
  return bodyLength * TEXT_BYTES + valuesIn(object) * VALUE_BYTES;
}

/**
 * Memory that a patch takes until its response: its text, and what it makes of an object, which has no more values than any body may have.
 * Decoded operations of a JSON patch are gone after one turn of the event loop.
 */
export function patchBytes(body: Uint8Array): number {
  return body.length * TEXT_BYTES + countValues(body, MAX_VALUES) * VALUE_BYTES;
}

/** Memory that selectors of any kind take, as text and parsed. They have been parsed, so their parts are few; '' is no selector. */
export function selectorBytes(...selectors: readonly string[]): number {
  let bytes = 0;
  for (const text of selectors) {
    if (text === '') continue;
    const words = text.match(WORD_ENDS)?.length ?? 0;
    const operators = text.match(OPERATORS)?.length ?? 0;
    bytes += SELECTOR_BYTES + 2 * text.length + words * WORD_BYTES + operators * OPERATOR_BYTES;
  }
  return bytes;
}

/** Decoded bodies are shallow enough for this. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let values = 1;
  for (const member of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) values += valuesIn(member);
  return values;
}
