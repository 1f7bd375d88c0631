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

/** Moments at round local times, at most this many. `offsetMs`: how far the times are ahead of this computer's clock. */
export function ticksOf({ from, to }: TimeWindow, most: number, offsetMs = 0): Tick[] {
  const step = STEPS.find((size) => (to - from) / size <= most) ?? 28 * DAY;
  const ticks: Tick[] = [];
  // Whole steps since the midnight before, so that they are round in this time zone.
  const midnight = new Date(from - offsetMs).setHours(0, 0, 0, 0) + offsetMs;
  for (let at = midnight + Math.ceil((from - midnight) / step) * step; at <= to && ticks.length <= most; at += step) {
    ticks.push({ at, text: tickText(new Date(at - offsetMs), step) });
  }
  return ticks;
}

function tickText(date: Date, step: number): string {
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  if (step >= DAY) return day;
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
  if (isMidnight) return day;
  return date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', ...(step < MINUTE && { second: '2-digit' }) });
}
