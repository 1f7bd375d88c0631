import { Option } from 'commander';
import { printable, printableJson } from '../../apimachinery/text/printable.js';
import { coloured } from './colour.js';
import { columnWidths, fitted, inColumn, terminalWidth } from './columns.js';
import { yamlText } from './yaml-text.js';

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
        ? yamlText(result)
        : layOut(table, paint, terminalWidth()),
  );
}

const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

/** Writes what checks have found. */
export function writeChecks<Check extends { readonly check: string; readonly state: keyof typeof COLOURS; readonly detail: string }>(
  format: OutputFormat,
  checks: readonly Check[],
): void {
  const rows = checks.map(({ check, state, detail }) => [check, state, detail]);
  writeResult(format, checks, [['CHECK', 'STATE', 'DETAIL'], ...rows], ([, state = '']) =>
    coloured(COLOURS[state as keyof typeof COLOURS], state),
  );
}

const GAP = '   ';

/** Aligns columns, three spaces apart, as kubectl does, within `total` columns. */
function layOut(table: readonly (readonly string[])[], paint?: (row: readonly string[]) => string, total = Infinity): string {
  const rows = table.map((row) => row.map(printable));
  const widest = columnWidths(rows);
  const widths = fitted(widest, total - GAP.length * (widest.length - 1));
  const cells = (row: readonly string[]): string[] => row.map((cell, column) => inColumn(cell, widths[column] ?? 0));
  return rows
    .map((row, at) => {
      const padded = cells(row);
      if (paint && at > 0) padded[1] = (padded[1] ?? '').replace(row[1] ?? '', paint(row));
      return `${padded.join(GAP).trimEnd()}\n`;
    })
    .join('');
}
