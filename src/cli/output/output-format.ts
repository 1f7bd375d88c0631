import { styleText } from 'node:util';
import { Option } from 'commander';
import { Document, visit } from 'yaml';
import { needsEscapes, printableJson, printableYaml } from '../../apimachinery/text/printable.js';
import { type TableOptions, layOut, terminalWidth } from './columns.js';

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

type Colour = 'green' | 'yellow' | 'red';

/** Colours text if stdout is a terminal with colours (honours NO_COLOR and FORCE_COLOR). */
export function coloured(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}

/** A value as YAML in which characters that could act on a terminal are escaped, and which means the same. */
export function yamlText(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && needsEscapes(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return printableYaml(document.toString());
}
