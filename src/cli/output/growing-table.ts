import { printable } from '../../apimachinery/text/printable.js';

/**
 * A table whose rows are printed as they become known. A cell that does not fit widens its column from there on, below headings that are
 * printed again.
 */
export class GrowingTable {
  readonly #headings: readonly string[];
  readonly #write: (line: string) => void;
  #widths: readonly number[];
  #hasHeadings = false;

  /** `widths`: of the columns, as long as nothing is longer. */
  constructor(headings: readonly string[], widths: readonly number[], write: (line: string) => void) {
    this.#headings = headings;
    this.#widths = headings.map((_, column) => widths[column] ?? 0);
    this.#write = write;
  }

  /** Rows that are known together have the same widths. */
  print(given: readonly (readonly string[])[]): void {
    if (given.length === 0) return;
    const rows = given.map((row) => row.map(printable));
    // What follows the last column does not move.
    const last = this.#headings.length - 1;
    const widths = this.#widths.map((width, column) =>
      column === last ? 0 : Math.max(width, ...rows.map((row) => row[column]?.length ?? 0)),
    );
    const isWider = widths.some((width, column) => width > (this.#widths[column] ?? 0));
    this.#widths = widths;
    if (isWider || !this.#hasHeadings) this.#line(this.#headings);
    this.#hasHeadings = true;
    for (const row of rows) this.#line(row);
  }

  #line(cells: readonly string[]): void {
    const padded = cells.map((cell, column) => cell.padEnd(this.#widths[column] ?? 0));
    this.#write(`${padded.join('  ').trimEnd()}\n`);
  }
}
