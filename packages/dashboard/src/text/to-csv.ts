export type CsvRow = Readonly<Record<string, string | number | null | undefined>>;

/** Spreadsheets take what begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180, with the keys of the first row as its head. Texts that a spreadsheet would run are begun with an apostrophe. */
export function toCsv(rows: readonly CsvRow[]): string {
  const [first = {}] = rows;
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

function cell(value: CsvRow[string]): string {
  const text = String(value ?? '');
  const harmless = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
