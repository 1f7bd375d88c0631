import { badRequest } from '../errors/status-errors.js';
import { hasTooManyValues, tooManyValues } from '../codec/limits/body-limits.js';
import { decodeText } from '../codec/json/json-decoder.js';
import { endOfString } from '../codec/json/end-of-string.js';
import { syntaxError } from '../codec/json/json-syntax.js';

/** Objects have only a few levels; the limit protects the stack from deeply nested bodies. */
export const MAX_DEPTH = 1000;

/**
 * The body of a patch as JSON text. Throws the 400 of a body that is not, or that has more values than allowed, which is found before the
 * object is looked for.
 */
export function patchText(body: Buffer, maxValues: number): string {
  const text = syntaxError(body) === undefined ? decodeText(body) : undefined;
  if (text === undefined || isTooDeep(text)) throw badRequest('invalid JSON patch');
  if (hasTooManyValues(body, maxValues)) throw badRequest(tooManyValues(maxValues).message);
  return text;
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}
