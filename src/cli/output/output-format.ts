import { Option } from 'commander';
import { printableJson } from '../../apimachinery/text/printable.js';
import { coloured } from './colour.js';
import { terminalWidth } from './columns.js';
import { type TableOptions, layOut } from './table.js';
import { yamlText } from './yaml-text.js';

export type OutputFormat = 'table' | 'json' | 'yaml';

/** `--output`, for commands whose result is also machine-readable. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'Output format.').choices(['table', 'json', 'yaml']).default('table');
}

/** Writes a result to stdout as JSON, YAML or a table. */
export function writeResult(
  format: OutputFormat,
  result: unknown,
  table: readonly (readonly string[])[],
  options: Pick<TableOptions, 'paint' | 'spare'> = {},
): void {
  process.stdout.write(
    format === 'json'
      ? `${printableJson(JSON.stringify(result, null, 2))}\n`
      : format === 'yaml'
        ? yamlText(result)
        : layOut(table, { ...options, total: terminalWidth() }),
  );
}

const COLOURS = { ok: 'green', warning: 'yellow', problem: 'red' } as const;

/** Writes what checks have found. */
export function writeChecks<Check extends { readonly check: string; readonly state: keyof typeof COLOURS; readonly detail: string }>(
  format: OutputFormat,
  checks: readonly Check[],
): void {
  const rows = checks.map(({ check, state, detail }) => [check, state, detail]);
  const paint = ([, state = '']: readonly string[]): string => coloured(COLOURS[state as keyof typeof COLOURS], state);
  writeResult(format, checks, [['CHECK', 'STATE', 'DETAIL'], ...rows], { paint });
}
