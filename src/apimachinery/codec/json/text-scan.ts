/** Far more levels than objects need; deeper text goes to the exact decoder, which applies the real limit. */
const MAX_DEPTH = 100;
const LONGEST_SAFE_INTEGER = 15;

/** The result of `scanText`. */
export interface TextScan {
  /** Number of members of all objects, which is the number of colons outside strings. If JSON.parse yields fewer, some were duplicates. */
  readonly members: number;
  /**
   * False if JSON.parse and Go may read a value differently, or if JSON.parse loses how it was written: numbers other than plain short
   * integers, escapes that may be lone surrogates, and deep nesting.
   */
  readonly plain: boolean;
}

const ODD: TextScan = { members: 0, plain: false };

/** Scans JSON text that JSON.parse has accepted, in one pass. */
export function scanText(text: string): TextScan {
  const length = text.length;
  let members = 0;
  let depth = 0;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = skipString(text, at + 1);
      if (at < 0) return ODD;
    } else if (code === 58) {
      members++;
      at++;
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      at = skipInteger(text, at);
      if (at < 0) return ODD;
    } else {
      // `|| 32` maps brackets to braces: 91|32 = 123, 93|32 = 125.
      const bracket = code | 32;
      if (bracket === 123) {
        if (++depth > MAX_DEPTH) return ODD;
      } else if (bracket === 125) depth--;
      at++;
    }
  }
  return { members, plain: true };
}

/** Index after the string whose content starts at `at`, or -1 for a surrogate escape. */
function skipString(text: string, at: number): number {
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code !== 92) at++;
    else {
      if (text.charCodeAt(at + 1) === 117 && (text.charCodeAt(at + 2) | 32) === 100) return -1;
      at += 2;
    }
  }
}

/** Index after an integer of at most 15 digits, or -1 for any other number, including `-0`. */
function skipInteger(text: string, at: number): number {
  const negative = text.charCodeAt(at) === 45;
  const start = negative ? at + 1 : at;
  if (negative && text.charCodeAt(start) === 48) return -1;
  let end = start;
  let code = text.charCodeAt(end);
  while (code >= 48 && code <= 57) code = text.charCodeAt(++end);
  return code === 46 || (code | 32) === 101 || end - start > LONGEST_SAFE_INTEGER ? -1 : end;
}
