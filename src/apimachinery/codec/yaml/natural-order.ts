const LETTER = /\p{L}/u;

/**
 * The order in which go-yaml v2 writes keys (sorter.go): by code point, but with non-letters before letters, and runs of digits by their
 * value.
 */
export function naturalOrder(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const at = left.findIndex((char, index) => char !== right[index]);
  const [x, y] = [left[at], right[at]];
  if (x === undefined || y === undefined) return left.length - right.length;
  if (LETTER.test(x) !== LETTER.test(y)) return LETTER.test(x) ? 1 : -1;
  if (LETTER.test(x)) return codePoint(x) - codePoint(y);
  return numberOrder(left, right, at) || codePoint(x) - codePoint(y);
}

function numberOrder(left: readonly string[], right: readonly string[], at: number): number {
  const withinNumber = (left[at] === '0' || right[at] === '0') && followsNonZeroDigit(left, at);
  const prefix = withinNumber ? '1' : '0';
  const [x, y] = [digitsFrom(left, at), digitsFrom(right, at)];
  return Number(prefix + x) - Number(prefix + y) || x.length - y.length;
}

/** Whether the preceding digits are more than leading zeros. */
function followsNonZeroDigit(chars: readonly string[], at: number): boolean {
  return /[1-9][0-9]*$/.test(chars.slice(0, at).join(''));
}

const digitsFrom = (chars: readonly string[], at: number): string => /^[0-9]*/.exec(chars.slice(at).join(''))?.[0] ?? '';

const codePoint = (char: string): number => char.codePointAt(0) ?? 0;
