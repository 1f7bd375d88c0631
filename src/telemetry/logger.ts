import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino } from 'pino';
import { printable, printableJson, printableLines } from '../apimachinery/text/printable.js';
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
