import { endOfString } from '../codec/json/end-of-string.js';

const MAY_BE_OVERSIZED = /[eE]|\d{309}/;
/** The text is valid JSON, so a run of these characters is one number. */
const NUMBER = /[-+.\deE]+/y;

/** The first number in a valid JSON text that exceeds float64, such as `1e400`. */
export function oversizedNumber(json: string): string | undefined {
  if (!MAY_BE_OVERSIZED.test(json)) return undefined;
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (char === 34) at = endOfString(json, at);
    else if (char === 45 || (char >= 48 && char <= 57)) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(json)?.[0] ?? '';
      if (!Number.isFinite(Number(number))) return number;
      at += number.length - 1;
    }
  }
  return undefined;
}
