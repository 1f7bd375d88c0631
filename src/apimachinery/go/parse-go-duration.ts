import { quote } from './quote.js';

const UNIT_MS: ReadonlyMap<string, number> = new Map(
  Object.entries({ ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }),
);

/** Go's durations are 64-bit numbers of nanoseconds. */
const LONGEST_MS = 2 ** 63 / 1e6;

/** Go's time.ParseDuration, in milliseconds; returns its error text if the text is not a duration. */
export function parseGoDuration(text: string): number | { readonly error: string } {
  const invalid = { error: `time: invalid duration ${quote(text)}` };
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '') return invalid;
  let total = 0;
  while (rest !== '') {
    const match = /^(\d+\.?\d*|\.\d+)([^.\d]*)/.exec(rest);
    if (!match) return invalid;
    const [whole, number = '', unit = ''] = match;
    if (unit === '') return { error: `time: missing unit in duration ${quote(text)}` };
    const factor = UNIT_MS.get(unit);
    if (factor === undefined) return { error: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` };
    total += Number(number) * factor;
    rest = rest.slice(whole.length);
  }
  return total > LONGEST_MS ? invalid : negative ? -total : total;
}
