import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { type DestinationStream, type Logger, type LoggerOptions as PinoOptions, pino } from 'pino';
import { printable, printableJson, printableLines } from '../apimachinery/text/printable.js';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** `auto`: text on a terminal, json elsewhere. */
export type LogFormat = 'auto' | 'text' | 'json';

export interface LoggerOptions {
  readonly logLevel: LogLevel;
  readonly loggingFormat?: LogFormat;
  /** klog's verbosity: 4 is debug, 8 is trace. */
  readonly v?: number;
}

/**
 * Creates the process's logger. It writes to stderr, either one JSON object per line or text for people; stdout is reserved for a command's
 * result. LogLimits bounds what clients can write into it.
 */
export function createLogger({ logLevel, loggingFormat = 'auto', v = 0 }: LoggerOptions): Logger {
  const level = levelOf(logLevel, v);
  const { hooks, formatters } = new LogLimits().options();
  const named = { ...formatters, level: (label: string) => ({ level: label }) };
  const options = { level, serializers: { err: describeError }, hooks, formatters: named };
  if (loggingFormat === 'text' || (loggingFormat === 'auto' && process.stderr.isTTY)) return pino(options, new TerminalStream());
  return pino(
    { ...options, base: { pid: process.pid, hostname: hostname() }, timestamp: pino.stdTimeFunctions.isoTime },
    printableLog(pino.destination({ fd: 2, sync: true })),
  );
}

/** JSON leaves some characters unescaped that a terminal obeys. */
function printableLog(to: DestinationStream): DestinationStream {
  return { write: (line) => to.write(printableJson(line)) };
}

/** Drops the client object, with its connection settings, that pg attaches to errors. */
function describeError(error: unknown): unknown {
  const { client: _client, ...described } = pino.stdSerializers.err(error as Error) as unknown as Record<string, unknown>;
  return shortenedError(described);
}

function levelOf(level: LogLevel, v: number): LogLevel {
  const verbose = v >= 8 ? 'trace' : v >= 4 ? 'debug' : level;
  return (pino.levels.values[verbose] ?? 0) < (pino.levels.values[level] ?? 0) ? verbose : level;
}

/** Turns pino's JSON lines into `12:30:01 INFO  message key=value`. */
class TerminalStream extends Writable {
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    for (const line of chunk.toString().split('\n')) if (line !== '') process.stderr.write(formatLogLine(line) + '\n');
    done();
  }
}

/** Formats one of pino's JSON lines as text for people, with the stack on separate lines. */
export function formatLogLine(json: string): string {
  const { level, time, msg, pid: _pid, hostname: _hostname, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const label = String(level).toUpperCase().padEnd(5);
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  return (
    printable(`${clock} ${label} ${typeof msg === 'string' ? msg : ''}${fields.join('')}`) +
    (stack === undefined ? '' : `\n${printableLines(stack)}`)
  );
}

/** Lines per second with the same message; messages are constants of the program. */
const LINES_PER_SECOND = 20;
/** Interval at which the same stack is shown again. */
const STACK_PERIOD_MS = 60_000;
/** Capacity for messages and stacks; the oldest entry is evicted. */
const MAX_REMEMBERED = 500;
const MAX_TEXT = 1024;
const MAX_STACK = 8192;
const INFO = 30;

/**
 * Bounds what a client can write into the log: lines per second with the same message, the same stack once a minute (lines in between say
 * how many errors came without one), and the length of each field. The field `suppressed` of the next line of a kind counts those left out.
 * Below level info only lengths are limited.
 */
export class LogLimits {
  readonly #now: () => number;
  readonly #kinds = new Map<string, LineBudget>();
  /** Keyed by stack frames: when the stack was last shown, and how many errors came since. */
  readonly #stacks = new Map<string, { shownAt: number; since: number }>();

  /** `now` in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Options for pino. */
  options(): Pick<PinoOptions, 'hooks' | 'formatters'> {
    const limited = (args: unknown[], level: number): unknown[] | undefined => this.#limit(args, level);
    return {
      hooks: {
        logMethod(args, method, level) {
          const kept = limited(args, level);
          if (kept) method.apply(this, kept as typeof args);
        },
      },
      formatters: { log: shortened },
    };
  }

  /** Returns the line to write; undefined: none. */
  #limit(args: unknown[], level: number): unknown[] | undefined {
    if (level < INFO) return args;
    const [first, second] = args;
    const [fields, message] =
      typeof first === 'string' ? [{}, first] : [first as Record<string, unknown>, typeof second === 'string' ? second : ''];
    const suppressed = remembered(this.#kinds, message, () => new LineBudget(LINES_PER_SECOND)).take(this.#now());
    if (suppressed === undefined) return undefined;
    const { err } = fields;
    const repeated = err instanceof Error ? this.#withoutStack(err, message) : undefined;
    if (suppressed === 0 && !repeated) return args;
    return [{ ...fields, ...repeated, ...(suppressed > 0 ? { suppressed } : {}) }, message];
  }

  /** Replaces an error whose stack was shown recently, or says how many were left out since. */
  #withoutStack(error: Error, message: string): object | undefined {
    const stack = error.stack ?? '';
    const frames = stack.indexOf('\n    at ');
    if (frames < 0) return undefined;
    const now = this.#now();
    const seen = remembered(this.#stacks, message + stack.slice(frames, frames + MAX_STACK), () => ({ shownAt: -Infinity, since: 0 }));
    if (now - seen.shownAt < STACK_PERIOD_MS) {
      seen.since += 1;
      return { err: { type: error.name, message: error.message.slice(0, MAX_TEXT), stackShown: new Date(seen.shownAt).toISOString() } };
    }
    const { since } = seen;
    [seen.shownAt, seen.since] = [now, 0];
    return since > 0 ? { sinceLastStack: since } : undefined;
  }
}

function remembered<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const [oldest] = map.keys();
  if (map.size >= MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
  const made = make();
  map.set(key, made);
  return made;
}

function shortened(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value,
    ]),
  );
}

/** An error's description with its texts shortened. */
function shortenedError(described: Record<string, unknown>): Record<string, unknown> {
  const cut = shortened({ ...described, stack: undefined });
  return { ...cut, stack: typeof described['stack'] === 'string' ? described['stack'].slice(0, MAX_STACK) : undefined };
}

/** Limits log lines per second, and counts those left out since the last one written. */
export class LineBudget {
  readonly #perSecond: number;
  #second = 0;
  #used = 0;
  #suppressed = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Returns how many lines were left out before this one; undefined: leave this one out too. `now` in milliseconds. */
  take(now: number): number | undefined {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#used] = [second, 0];
    if (this.#used >= this.#perSecond) {
      this.#suppressed += 1;
      return undefined;
    }
    this.#used += 1;
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    return suppressed;
  }
}
