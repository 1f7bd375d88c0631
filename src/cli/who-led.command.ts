import { Command } from 'commander';
import { humanDuration, parseGoDuration } from '../apimachinery/go/go-duration.js';
import { leaderAt, leaseName, termsOf } from './kube/lease-terms.js';
import { withoutFraction } from './output/columns.js';
import { CommandError } from './output/command-error.js';
import { type OutputFormat, outputOption, writeResult } from './output/output-format.js';
import { addServerOptions, withServer } from './server-access.js';

const EXAMPLES = `
Examples:
  coordination-apiserver who-led jobs/one --at 2026-01-02T15:04:05Z
  coordination-apiserver who-led jobs/one --at 03:00
  coordination-apiserver who-led jobs/one --at 10m`;

const NOW = 'now';
const HEADINGS = ['HOLDER', 'FROM', 'UNTIL', 'ENDED', 'EXPIRED', 'TOKEN'];

/** `who-led`: shows who held a lease at a time. */
export function whoLedCommand(): Command {
  const command = new Command('who-led')
    .description(
      'Shows who held a lease at a time: the term, and since when it had been expired by then, or the time during which nobody held the lease.',
    )
    .argument('<lease>', 'Name of the lease, or NAMESPACE/NAME; the namespace is default otherwise.')
    .option(
      '--at <time>',
      'When: 03:00, yesterday, 2026-01-02 or "2026-01-02 15:04" of this computer\'s zone, 2026-01-02T15:04:05Z, or how long ago, such as 10m; now by default.',
    )
    .addOption(outputOption());
  addServerOptions(command);
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (lease: string, { at = NOW, output }: { at?: string; output: OutputFormat }, self: Command) => {
      const name = leaseName(lease);
      const time = timeOf(at);
      const leader = leaderAt(await withServer(self, (client) => termsOf(client, name)), time);
      const { holder, from = '', until = '', reason = '', expired = '', fencingToken = '' } = leader;
      const result = { ...name, at: new Date(time).toISOString(), ...leader };
      // Which time was meant, as 03:00 is one of many.
      if (at !== NOW) process.stderr.write(`at ${withoutFraction(result.at)}, ${humanDuration(Date.now() - time)} ago:\n`);
      const times = [from, until, reason, expired].map(withoutFraction);
      writeResult(output, result, [HEADINGS, [holder || '<none>', ...times, fencingToken]], { spare: ['EXPIRED', 'ENDED', 'TOKEN'] });
    });
}

/** Milliseconds. Throws a CommandError. */
function timeOf(text: string): number {
  const now = Date.now();
  const time = pointInTime(text, now);
  if (time === undefined) {
    throw new CommandError(
      `invalid value "${text}" for --at: must be a time such as 03:00, yesterday, 2026-01-02 or 2026-01-02T15:04:05Z, or how long ago, such as 10m`,
    );
  }
  if (time > now) throw new CommandError(`invalid value "${text}" for --at: must not be in the future`);
  return time;
}

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
