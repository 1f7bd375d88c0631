import { quote } from './go-string.js';

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

/** Formats milliseconds as Go's time.Duration does: `1h0m0s`, `5m0s`, `1.5s`, `4ms`, `0s`. */
export function formatGoDuration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes % 60}m` : ''}${(ms % 60_000) / 1000}s`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Formats an age like kubectl: at most two units, fewer for older objects (apimachinery pkg/util/duration). */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * SECOND) return '<invalid>';
  if (milliseconds < 0) return '0s';
  if (milliseconds < 2 * MINUTE) return `${whole(milliseconds, SECOND)}s`;
  if (milliseconds < 10 * MINUTE) return units(milliseconds, [MINUTE, 'm'], [SECOND, 's']);
  if (milliseconds < 3 * HOUR) return `${whole(milliseconds, MINUTE)}m`;
  if (milliseconds < 8 * HOUR) return units(milliseconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (milliseconds < 2 * DAY) return `${whole(milliseconds, HOUR)}h`;
  if (milliseconds < 8 * DAY) return units(milliseconds, [DAY, 'd'], [HOUR, 'h']);
  if (milliseconds < 2 * YEAR) return `${whole(milliseconds, DAY)}d`;
  if (milliseconds < 8 * YEAR) return units(milliseconds, [YEAR, 'y'], [DAY, 'd']);
  return `${whole(milliseconds, YEAR)}y`;
}

type Unit = readonly [length: number, suffix: string];

function units(milliseconds: number, [large, largeSuffix]: Unit, [small, smallSuffix]: Unit): string {
  const head = whole(milliseconds, large);
  const rest = whole(milliseconds - head * large, small);
  return rest === 0 ? `${head}${largeSuffix}` : `${head}${largeSuffix}${rest}${smallSuffix}`;
}

function whole(milliseconds: number, unit: number): number {
  return Math.floor(milliseconds / unit);
}
