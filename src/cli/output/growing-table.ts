import { printable } from '../../apimachinery/text/printable.js';
import { columnWidths, fitted, linesOf, wordWidths } from './columns.js';

const GAP = '  ';

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
    const widths = fitted(widest, wordWidths([this.#headings, ...rows]), (this.#total() ?? Infinity) - GAP.length * (widest.length - 1));
    // What follows the last column does not move.
    const isWider = widths.some((width, column) => column < widths.length - 1 && width !== this.#widths[column]);
    this.#widths = widths;
    if (isWider || !this.#hasHeadings) this.#line(this.#headings);
    this.#hasHeadings = true;
    for (const row of rows) this.#line(row);
  }

  #line(cells: readonly string[]): void {
    for (const line of linesOf(cells, this.#widths, GAP)) this.#write(`${line}\n`);
  }
}
