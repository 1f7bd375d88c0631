import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { LogLimits, shortenedError } from './log-limits.js';

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
export function createLogger({ logLevel, loggingFormat = 'auto', v = 0 }: LoggerOptions, terminal = process.stderr.isTTY): Logger {
  const level = levelOf(logLevel, v);
  const { hooks, formatters } = new LogLimits().options();
  const named = { ...formatters, level: (label: string) => ({ level: label }) };
  const options = { level, serializers: { err: describeError }, hooks, formatters: named };
  if (loggingFormat === 'text' || (loggingFormat === 'auto' && terminal)) return pino(options, new TerminalStream());
  return pino(
    { ...options, base: { pid: process.pid, hostname: hostname() }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
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
    visible(`${clock} ${label} ${typeof msg === 'string' ? msg : ''}${fields.join('')}`, CONTROLS) +
    (stack === undefined ? '' : `\n${visible(stack, CONTROLS_IN_A_LINE)}`)
  );
}

const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
const CONTROLS_IN_A_LINE = /(?!\n)[\p{Cc}\u2028\u2029]/gu;

/** Escapes control characters, which a path may contain and which would move the terminal's cursor. */
function visible(text: string, controls: RegExp): string {
  return text.replace(controls, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
