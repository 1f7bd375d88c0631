import stringWidth from 'string-width';

/** The least width of a column whose words have to be broken. */
const LEAST = 9;
const GRAPHEMES = new Intl.Segmenter();

/** The columns of stdout's terminal; undefined for a pipe or a file, where nothing is wrapped. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/** The width of each column of a table: that of its widest cell as terminals show it. */
export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))));
}

/** The width that each column needs so that no word of it is broken. */
export function wordWidths(rows: readonly (readonly string[])[]): number[] {
  return columnWidths(rows.map((row) => row.map((cell) => longest(cell.split(/\s+/)))));
}

function longest(words: readonly string[]): string {
  return words.reduce((widest, word) => (stringWidth(word) > stringWidth(widest) ? word : widest), '');
}

/** Widths that together fit into `total` columns, by taking from the widest first: as far as their words allow, and then from those too. */
export function fitted(widths: readonly number[], words: readonly number[] = [], total = Infinity): number[] {
  const leasts = widths.map((width, column) => Math.min(width, words[column] ?? LEAST));
  const sum = (of: readonly number[]): number => of.reduce((wide, width) => wide + width, 0);
  const narrowed = (to: readonly number[]): number[] => {
    let most = Math.max(0, ...widths);
    const at = (): number[] => widths.map((width, column) => Math.max(Math.min(width, most), to[column] ?? 0));
    while (most > 0 && sum(at()) > total) most -= 1;
    return at();
  };
  return narrowed(sum(leasts) > total ? widths.map((width) => Math.min(width, LEAST)) : leasts);
}

/** The lines of a row, its cells wrapped into columns of these widths: nothing of a cell is left out. */
export function linesOf(cells: readonly string[], widths: readonly number[], gap: string): string[] {
  const wrapped = cells.map((cell, column) => wrap(cell, widths[column] ?? 0));
  const height = Math.max(1, ...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    wrapped
      .map((parts, column) => padded(parts[line] ?? '', widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** At spaces; a word that is wider is broken between its characters. */
function wrap(cell: string, width: number): string[] {
  if (stringWidth(cell) <= width) return [cell];
  const lines: string[] = [];
  let line = '';
  for (const word of cell.split(' ').flatMap((each) => broken(each, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || stringWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function broken(word: string, width: number): string[] {
  if (stringWidth(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  for (const { segment } of GRAPHEMES.segment(word)) {
    if (part !== '' && stringWidth(part + segment) > width) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}
