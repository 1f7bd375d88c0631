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
  return (
    text.join('') + (gone.length === 0 ? '' : `(${gone.join(', ')}: left out, as the terminal has ${total} columns; -o json shows all)\n`)
  );
}

/** The columns that stay, so that no word has to be broken. */
function columnsWithin(table: readonly (readonly string[])[], spare: readonly string[], total: number): readonly number[] {
  const [headings = []] = table;
  const words = wordWidths(table.map((row) => row.map(printable)));
  let left = headings.map((_, column) => column);
  for (const heading of spare) {
    const needed = left.reduce((sum, column) => sum + (words[column] ?? 0), GAP.length * (left.length - 1));
    if (needed <= total) break;
    left = left.filter((column) => headings[column] !== heading);
  }
  return left;
}
