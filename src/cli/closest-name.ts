/** The name that was probably meant: at most two edits away, and at most two fifths of the word. */
export function closestName(word: string, names: readonly string[]): string | undefined {
  const limit = Math.min(2, 0.4 * word.length);
  const [best] = names
    .map((name) => ({ name, edits: editDistance(word, name) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits);
  return best?.name;
}

/** Insertions, deletions and substitutions that turn one word into the other (Levenshtein), row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...a].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...b].entries()) {
      const substituted = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(substituted, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
