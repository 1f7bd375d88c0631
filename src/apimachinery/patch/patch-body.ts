import { DecodeError } from '../errors/decode-error.js';
import { decodeText } from '../codec/json/json-decoder.js';
import { syntaxError } from '../codec/json/json-syntax.js';

/** Objects have only a few levels; the limit protects the stack from deeply nested bodies. */
export const MAX_DEPTH = 1000;

/** The body of a patch as valid JSON text. Throws a DecodeError with the text of Go's scanner. */
export function patchText(body: Buffer): string {
  const problem = syntaxError(body);
  if (problem !== undefined) throw new DecodeError(problem);
  const text = decodeText(body);
  if (isTooDeep(text)) throw new DecodeError('exceeded max depth');
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

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
