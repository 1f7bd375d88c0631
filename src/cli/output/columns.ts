import stringWidth from 'string-width';
import { printable } from '../../apimachinery/text/printable.js';

/** The least width of a column whose words have to be broken. */
const LEAST = 9;
const GRAPHEMES = new Intl.Segmenter();

/** The columns of stdout's terminal; undefined for a pipe or a file, where nothing is wrapped. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
}

/** The width of each column of a table: that of its widest cell as terminals show it. */
function columnWidths(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))));
}

/** The width that each column needs so that no word of it is broken. */
function wordWidths(rows: readonly (readonly string[])[]): number[] {
  return columnWidths(rows.map((row) => row.map((cell) => longest(cell.split(/\s+/)))));
}

function longest(words: readonly string[]): string {
  return words.reduce((widest, word) => (stringWidth(word) > stringWidth(widest) ? word : widest), '');
}

/** Widths that together fit into `total` columns, by taking from the widest first: as far as their words allow, and then from those too. */
function fitted(widths: readonly number[], words: readonly number[] = [], total = Infinity): number[] {
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
function linesOf(cells: readonly string[], widths: readonly number[], gap: string): string[] {
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

const NARROW_GAP = '  ';

/**
 * A table whose rows are printed as they become known. A cell that does not fit widens its column from there on, as far as the terminal
 * allows, below headings that are printed again; what still does not fit is wrapped.
 */
export class GrowingTable {
  readonly #headings: readonly string[];
  readonly #write: (line: string) => void;
  readonly #total: () => number | undefined;
  #widths: readonly number[];
  #hasHeadings = false;

  /** `widths`: of the columns, as long as nothing is longer; `total`: the columns of the terminal. */
  constructor(
    headings: readonly string[],
    widths: readonly number[],
    write: (line: string) => void,
    total: () => number | undefined = () => undefined,
  ) {
    this.#headings = headings;
    this.#widths = headings.map((_, column) => widths[column] ?? 0);
    this.#write = write;
    this.#total = total;
  }

  /** Rows that are known together have the same widths. */
  print(given: readonly (readonly string[])[]): void {
    if (given.length === 0) return;
    const rows = given.map((row) => row.map(printable));
    const needed = columnWidths([this.#headings, ...rows]);
    const widest = this.#widths.map((width, column) => Math.max(width, needed[column] ?? 0));
    const widths = fitted(
      widest,
      wordWidths([this.#headings, ...rows]),
      (this.#total() ?? Infinity) - NARROW_GAP.length * (widest.length - 1),
    );
    // What follows the last column does not move.
    const isWider = widths.some((width, column) => column < widths.length - 1 && width !== this.#widths[column]);
    this.#widths = widths;
    if (isWider || !this.#hasHeadings) this.#line(this.#headings);
    this.#hasHeadings = true;
    for (const row of rows) this.#line(row);
  }

  #line(cells: readonly string[]): void {
    for (const line of linesOf(cells, this.#widths, NARROW_GAP)) this.#write(`${line}\n`);
  }
}

const GAP = '   ';

export interface TableOptions {
  /** Colours the second cell of a row without changing its width. */
  readonly paint?: ((row: readonly string[]) => string) | undefined;
  /** The columns of the terminal. */
  readonly total?: number | undefined;
  /** Headings of columns that may be left out where there is no room for the words of all, the first one first. */
  readonly spare?: readonly string[] | undefined;
}

/** Aligns columns, three spaces apart, as kubectl does. Where they do not fit, spare columns go, which a last line says, and cells are wrapped. */
export function layOut(table: readonly (readonly string[])[], { paint, total = Infinity, spare = [] }: TableOptions = {}): string {
  const [headings = []] = table;
  const left = columnsWithin(table, spare, total);
  const rows = table.map((row) => row.filter((_, column) => left.includes(column)).map(printable));
  const widths = fitted(columnWidths(rows), wordWidths(rows), total - GAP.length * (left.length - 1));
  const text = rows.map((row, at) => {
    const [first = '', ...others] = linesOf(row, widths, GAP);
    const second = row[1] ?? '';
    // The second cell begins behind the first one's column.
    const begin = first.indexOf(second, Math.min(first.length, (row[0] ?? '').length));
    const isPainted = paint && at > 0 && second !== '' && begin >= 0;
    const painted = isPainted ? first.slice(0, begin) + paint(row) + first.slice(begin + second.length) : first;
    return [painted, ...others].map((line) => `${line}\n`).join('');
  });
  const gone = headings.filter((_, column) => !left.includes(column));
  if (gone.length === 0) return text.join('');
  const note = `(${gone.join(', ')}: left out, as the terminal has ${total} columns; -o json shows all)`;
  return `${text.join('')}${linesOf([note], [total], '').join('\n')}\n`;
}

/** The columns that stay, so that no word has to be broken; all where a word is too wide for that. */
function columnsWithin(table: readonly (readonly string[])[], spare: readonly string[], total: number): readonly number[] {
  const [headings = []] = table;
  const words = wordWidths(table.map((row) => row.map(printable)));
  const all = headings.map((_, column) => column);
  const fits = (left: readonly number[]): boolean =>
    left.reduce((sum, column) => sum + (words[column] ?? 0), GAP.length * (left.length - 1)) <= total;
  const choices = [...spare.keys(), spare.length].map((count) =>
    all.filter((column) => !spare.slice(0, count).includes(headings[column] ?? '')),
  );
  return choices.find(fits) ?? all;
}

/** An RFC 3339 time to the second, as tables show it; JSON has the whole. */
export function withoutFraction(time: string): string {
  return time.replace(/\.\d+(?=Z|[+-]\d\d:\d\d$)/, '');
}
