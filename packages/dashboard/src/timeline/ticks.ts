import type { TimeWindow } from './time-window.js';

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
