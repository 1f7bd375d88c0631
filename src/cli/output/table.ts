import { printable } from '../../apimachinery/text/printable.js';
import { columnWidths, fitted, linesOf, wordWidths } from './columns.js';

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
