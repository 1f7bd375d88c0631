/** Compares texts for sorting as Go does, by the bytes of their UTF-8 form; JavaScript's `<` differs for surrogate pairs. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!MAY_DIFFER.test(a) || !MAY_DIFFER.test(b)) return a < b ? -1 : 1;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** The order of two texts that both have these depends on which of them comes first. */
const MAY_DIFFER = /[\ud800-\uffff]/;

/** Ranks surrogates (code points above U+FFFF) above the rest of the basic plane. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
