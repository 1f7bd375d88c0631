/** The token at the end of a term's name, or of the key after it; without one, more than any. */
export function tokenOf(name = ''): number {
  const [, digits] = /\.(\d{1,16})\0?$/.exec(name) ?? [];
  return Math.min(Number(digits ?? Infinity), Number.MAX_SAFE_INTEGER);
}
