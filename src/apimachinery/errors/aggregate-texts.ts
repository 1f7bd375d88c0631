/** Joins error texts as upstream's Aggregate does: each text once, in brackets if there are several (apimachinery util/errors). */
export function aggregateTexts(texts: readonly string[]): string {
  const [first = '', ...others] = new Set(texts);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}
