/** A period of the timeline, in milliseconds. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The periods that end now. */
export const RANGES = [
  ['10m', '10 minutes', 10 * 60_000],
  ['1h', 'Hour', 3_600_000],
  ['1d', 'Day', 86_400_000],
  ['7d', 'Week', 7 * 86_400_000],
  ['90d', '90 days', 90 * 86_400_000],
] as const;
type Range = (typeof RANGES)[number][0];

/** A period that ends now, or a fixed one. */
export type WindowChoice = Range | TimeWindow;

const SHORTEST_MS = 1000;
const LONGEST_MS = 120 * 86_400_000;

export function windowOf(choice: WindowChoice, now: number): TimeWindow {
  if (typeof choice !== 'string') return choice;
  const [, , length] = RANGES.find(([range]) => range === choice) ?? RANGES[1];
  return { from: now - length, to: now };
}

/** Reads `1d`, or `1735689600000-1735693200000`; an hour otherwise. */
export function parseWindow(text: string): WindowChoice {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  if (from !== undefined && Number(to) > Number(from)) return { from: Number(from), to: Number(to) };
  return RANGES.find(([range]) => range === text)?.[0] ?? '1h';
}

/** The inverse; '' for the default. */
export function formatWindow(choice: WindowChoice): string {
  if (typeof choice === 'string') return choice === '1h' ? '' : choice;
  return `${Math.round(choice.from)}-${Math.round(choice.to)}`;
}

/** Shorter or longer by a factor, around a moment that keeps its place. */
export function zoom({ from, to }: TimeWindow, factor: number, around: number): TimeWindow {
  const length = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (to - from) * factor));
  const part = (around - from) / (to - from);
  const start = around - part * length;
  return { from: start, to: start + length };
}

/** Moved by a part of its length; not beyond now. */
export function pan({ from, to }: TimeWindow, part: number, now: number): TimeWindow {
  const by = Math.min(part * (to - from), now - to);
  return { from: from + by, to: to + by };
}

/** Moved so that it does not end after now. */
export function notAfter({ from, to }: TimeWindow, now: number): TimeWindow {
  const by = Math.min(0, now - to);
  return { from: from + by, to: to + by };
}

/** The period between two moments, in either order, of at least a second. */
export function between(one: number, other: number): TimeWindow {
  const from = Math.min(one, other);
  return { from, to: Math.max(from + SHORTEST_MS, one, other) };
}

interface Tick {
  readonly at: number;
  readonly text: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28].map((count) => count * DAY),
];

/** Moments at round times in UTC, at most this many. */
export function ticksOf({ from, to }: TimeWindow, most: number): Tick[] {
  const step = STEPS.find((size) => (to - from) / size <= most) ?? 28 * DAY;
  const ticks: Tick[] = [];
  // Whole steps since the midnight before, so that long ones begin there.
  const midnight = Math.floor(from / DAY) * DAY;
  for (let at = midnight + Math.ceil((from - midnight) / step) * step; at <= to && ticks.length <= most; at += step) {
    ticks.push({ at, text: tickText(at, step) });
  }
  return ticks;
}

function tickText(at: number, step: number): string {
  const date = new Date(at);
  if (step >= DAY || at % DAY === 0) return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const second = step < MINUTE ? ({ second: '2-digit' } as const) : {};
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...second, timeZone: 'UTC' });
}
