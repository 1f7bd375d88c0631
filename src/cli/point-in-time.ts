import { parseGoDuration } from '../apimachinery/go/go-duration.js';

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^(\d\d?):(\d\d)(?::(\d\d))?$/;

/**
 * The time that people mean, in milliseconds: RFC 3339; a date, a time of day or both, in the zone of this computer; `yesterday`, alone or with a time;
 * or how long ago, such as `10m`, `2h30m ago`, `90d`. A time of day alone is its last one. Undefined for any other text. `now` is the local clock.
 */
export function pointInTime(text: string, now: number): number | undefined {
  const given = text.trim();
  if (given === 'now') return now;
  const ago = durationMs(given.replace(/ +ago$/, ''));
  if (ago !== undefined) return now - ago;
  if (given === 'yesterday') return now - DAY_MS;
  const words = given.split(/[T ]/i.test(given.charAt(10)) && DATE.test(given.slice(0, 10)) ? /[T ]/i : ' ');
  if (words.length > 2) return undefined;
  const [day, time] = words.length === 2 ? words : TIME.test(given) ? ['', given] : [given || 'never', '00:00'];
  return on(day ?? '', time ?? '', now);
}

/** As settings have them: Go's durations, or whole days. */
function durationMs(text: string): number | undefined {
  const days = /^(\d{1,6})d$/.exec(text)?.[1];
  if (days !== undefined) return Number(days) * DAY_MS;
  const ms = parseGoDuration(text);
  return typeof ms === 'number' && ms >= 0 ? ms : undefined;
}

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** As RFC 3339 has it. */
  readonly text: string;
  /** '' for that of this computer. */
  readonly zone: string;
}

function timeOfDay(given: string): TimeOfDay | undefined {
  const zone = /(?:Z|[+-]\d\d:\d\d)$/i.exec(given)?.[0] ?? '';
  const rest = given.slice(0, given.length - zone.length);
  const fraction = /\.\d+$/.exec(rest)?.[0] ?? '';
  const [, hour = '', minute = '', second = '00'] = TIME.exec(rest.slice(0, rest.length - fraction.length)) ?? [];
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second) };
  if (minute === '' || time.hour > 23 || time.minute > 59 || time.second > 59) return undefined;
  return { ...time, text: `${hour.padStart(2, '0')}:${minute}:${second}${fraction}`, zone: zone.toUpperCase() };
}

/** `day` is empty for the last day on which it was that time. */
function on(day: string, given: string, now: number): number | undefined {
  const time = timeOfDay(given);
  if (time === undefined) return undefined;
  if (DATE.test(day)) return isDate(day) ? Date.parse(`${day}T${time.text}${time.zone}`) : undefined;
  if (time.zone !== '') return undefined;
  const at = (daysBack: number): number => new Date(now).setHours(time.hour - 24 * daysBack, time.minute, time.second, 0);
  if (day === '') return at(0) > now ? at(1) : at(0);
  return day === 'yesterday' ? at(1) : day === 'today' ? at(0) : undefined;
}

/** JavaScript takes the 30th of February for the 2nd of March. */
function isDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}
