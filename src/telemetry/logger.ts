import { hostname } from 'node:os';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Logger } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/**
 * The process's logger, on stderr: one JSON object a line, or on a terminal a line for people. stdout is left to what the
 * program was asked to print.
 */
export function createLogger(level: LogLevel, terminal = process.stderr.isTTY): Logger {
  if (terminal) return pino({ level }, new TerminalStream());
  return pino(
    { level, base: { pid: process.pid, hostname: hostname() }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Turns pino's JSON lines into `12:30:01 INFO  message key=value`. */
class TerminalStream extends Writable {
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    for (const line of chunk.toString().split('\n')) if (line !== '') process.stderr.write(formatLogLine(line) + '\n');
    done();
  }
}

/** One line for people of one of pino's JSON lines; a stack follows on lines of its own. */
export function formatLogLine(json: string): string {
  const { level, time, msg, pid: _pid, hostname: _hostname, err, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const label = (pino.levels.labels[Number(level)] ?? '').toUpperCase().padEnd(5);
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  return `${clock} ${label} ${typeof msg === 'string' ? msg : ''}${fields.join('')}${stack === undefined ? '' : `\n${stack}`}`;
}
