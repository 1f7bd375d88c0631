import { Option } from 'commander';
import { stringify } from 'yaml';

export type OutputFormat = 'table' | 'json' | 'yaml';

/** `--output`, for commands whose result programs read as well. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'How the result is written.').choices(['table', 'json', 'yaml']).default('table');
}

/** Writes a result to stdout: as data, or as the table that people read. */
export function writeResult(format: OutputFormat, result: unknown, table: readonly (readonly string[])[]): void {
  process.stdout.write(format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : format === 'yaml' ? stringify(result) : layOut(table));
}

/** Columns of equal width, three spaces apart, as kubectl prints them. */
function layOut(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}
