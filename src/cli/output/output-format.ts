import { Option } from 'commander';
import { stringify } from 'yaml';
import { printable, printableJson } from '../../apimachinery/text/printable.js';

export type OutputFormat = 'table' | 'json' | 'yaml';

/** `--output`, for commands whose result is also machine-readable. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'Output format.').choices(['table', 'json', 'yaml']).default('table');
}

/** Writes a result to stdout as JSON, YAML or a table. `paint` colours the second cell of a row without changing its width. */
export function writeResult(
  format: OutputFormat,
  result: unknown,
  table: readonly (readonly string[])[],
  paint?: (row: readonly string[]) => string,
): void {
  process.stdout.write(
    format === 'json'
      ? `${printableJson(JSON.stringify(result, null, 2))}\n`
      : format === 'yaml'
        ? stringify(result)
        : layOut(table, paint),
  );
}

/** Aligns columns, three spaces apart, as kubectl does. */
function layOut(table: readonly (readonly string[])[], paint?: (row: readonly string[]) => string): string {
  const rows = table.map((row) => row.map(printable));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const cells = (row: readonly string[]): string[] => row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return rows
    .map((row, at) => {
      const padded = cells(row);
      if (paint && at > 0) padded[1] = (padded[1] ?? '').replace(row[1] ?? '', paint(row));
      return `${padded.join('   ').trimEnd()}\n`;
    })
    .join('');
}
