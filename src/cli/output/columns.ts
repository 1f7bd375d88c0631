import stringWidth from 'string-width';

/** A column gets no narrower in favour of others: as wide as most headings. */
const LEAST = 9;
const GRAPHEMES = new Intl.Segmenter();

/** The columns of stdout's terminal; undefined for a pipe or a file, where nothing is left out. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/** The width of each column of a table: that of its widest cell as terminals show it. */
export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))));
}

/** Widths that together fit into `total` columns, by taking from the widest first. */
export function fitted(widths: readonly number[], total = Infinity): number[] {
  let most = Math.max(0, ...widths);
  const sum = (): number => widths.reduce((wide, width) => wide + Math.min(width, most), 0);
  while (most > LEAST && sum() > total) most -= 1;
  return widths.map((width) => Math.min(width, most));
}

/** A cell in a column of this width; of one that is wider the middle is left out, because names with the same beginning differ at their ends. */
export function inColumn(cell: string, width: number): string {
  const shown = elided(cell, width);
  return shown + ' '.repeat(Math.max(0, width - stringWidth(shown)));
}

function elided(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const characters = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
  const end = fitting(characters.toReversed(), Math.floor((width - 1) / 2)).reverse();
  const start = fitting(characters, width - 1 - stringWidth(end.join('')));
  return `${start.join('')}…${end.join('')}`;
}

/** The first of the characters that fit. */
function fitting(characters: readonly string[], width: number): string[] {
  let space = width;
  const beyond = characters.findIndex((character) => (space -= stringWidth(character)) < 0);
  return characters.slice(0, beyond);
}
