import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  write,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { printable, printableJson } from '../../apimachinery/text/printable.js';
import { makeDirectory } from '../../settings/given-files.js';
import { type AuditEvent, describeEvent, encodeEvent } from '../event/audit-event.js';
import type { AuditBackend, AuditFailures } from './audit-backend.js';

export const AUDIT_LOG_FORMATS = ['legacy', 'json'] as const;
export type AuditLogFormat = (typeof AUDIT_LOG_FORMATS)[number];

/** Appends text in order. */
interface AuditLog {
  /** Completes when the operating system has the text; throws or rejects if that fails. */
  write(text: string): void | Promise<void>;
  close(): void;
}

/** Writes one line per event (apiserver plugin/pkg/audit/log). */
export class LogBackend implements AuditBackend {
  readonly #log: AuditLog;
  readonly #encode: (event: AuditEvent) => string;
  readonly #failures: AuditFailures;

  constructor(log: AuditLog, format: AuditLogFormat, failures: AuditFailures) {
    this.#log = log;
    this.#encode = format === 'json' ? (event) => printableJson(encodeEvent(event)) : (event) => printable(describeEvent(event));
    this.#failures = failures;
  }

  process(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    try {
      const written = this.#log.write(events.map((event) => `${this.#encode(event)}\n`).join(''));
      if (!written) return true;
      return written.then(
        () => true,
        (error: unknown) => this.#fail(error, events),
      );
    } catch (error) {
      return this.#fail(error, events);
    }
  }

  close(): Promise<void> {
    this.#log.close();
    return Promise.resolve();
  }

  #fail(error: unknown, events: readonly AuditEvent[]): boolean {
    this.#failures.failed('log', error instanceof Error ? error.message : String(error), events);
    return false;
  }
}

/** Writes events to stdout (`--audit-log-path=-`). */
export class StandardOutput implements AuditLog {
  write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    // stdout belongs to the process and stays open.
  }
}

export interface RotatedFileOptions {
  readonly path: string;
  /** Size above which the file is rotated; 0: never. */
  readonly maxBytes: number;
  /** Days after which rotated files are removed; 0: never. */
  readonly maxAgeDays: number;
  /** Number of rotated files to keep; 0: all. */
  readonly maxBackups: number;
  readonly compress: boolean;
  /** Whether writes are synchronous. */
  readonly blocking: boolean;
  readonly now: () => number;
  /** Called if old files cannot be compressed or removed; writing continues. */
  readonly onTidyError: (error: unknown) => void;
}

const DAY_MS = 86_400_000;
const writeLater = promisify(write);

/**
 * A log file with mode 0600 that is rotated by size: it is renamed to `NAME-TIME.EXT` (UTC), as kube-apiserver's are, and a new one is
 * created. Asynchronous writes must not overlap.
 */
export class RotatedFile implements AuditLog {
  readonly #options: RotatedFileOptions;
  #descriptor: number | undefined;
  #size = 0;

  /** Throws if the file cannot be opened. */
  constructor(options: RotatedFileOptions) {
    this.#options = options;
    makeDirectory(path.dirname(options.path), { what: 'the directory', mode: 0o700 });
    this.#open();
  }

  write(text: string): void | Promise<void> {
    const bytes = Buffer.from(text);
    const descriptor = this.#fileFor(bytes.length);
    this.#size += bytes.length;
    return this.#options.blocking ? writeAll(descriptor, bytes) : writeAllLater(descriptor, bytes);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #fileFor(bytes: number): number {
    const { maxBytes } = this.#options;
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes > maxBytes) this.#rotate();
    return this.#descriptor ?? this.#open();
  }

  #open(): number {
    const descriptor = openSync(this.#options.path, 'a', 0o600);
    this.#descriptor = descriptor;
    this.#size = fstatSync(descriptor).size;
    return descriptor;
  }

  #rotate(): void {
    this.close();
    const { dir, name, ext } = path.parse(this.#options.path);
    const aside = path.join(dir, `${name}-${fileTime(this.#options.now())}${ext}`);
    renameSync(this.#options.path, aside);
    this.#open();
    try {
      this.#removeOld();
    } catch (error) {
      this.#options.onTidyError(error);
    }
    if (this.#options.compress) compressFile(aside).catch(this.#options.onTidyError);
  }

  /** Removes only files that match the names this class creates. */
  #removeOld(): void {
    const { maxBackups, maxAgeDays, now } = this.#options;
    const { dir, name, ext } = path.parse(this.#options.path);
    const backups = readdirSync(dir)
      .flatMap((file) => {
        const time = timeOf(file, `${name}-`, ext);
        return time === undefined ? [] : [{ file: path.join(dir, file), time }];
      })
      .sort((one, other) => other.time - one.time);
    const tooOld = maxAgeDays > 0 ? now() - maxAgeDays * DAY_MS : Number.NEGATIVE_INFINITY;
    backups.forEach(({ file, time }, at) => {
      if ((maxBackups > 0 && at >= maxBackups) || time < tooOld) rmSync(file, { force: true });
    });
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

async function writeAllLater(descriptor: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length;) done += (await writeLater(descriptor, bytes, done, bytes.length - done, null)).bytesWritten;
}

/** Formats as `2026-11-21T13-44-32.679`, which sorts by time and is valid in file names on every system. */
function fileTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, -1).replaceAll(':', '-');
}

function timeOf(file: string, prefix: string, extension: string): number | undefined {
  const plain = file.endsWith('.gz') ? file.slice(0, -3) : file;
  if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return undefined;
  const match = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(plain.slice(prefix.length, plain.length - extension.length));
  return match ? Date.parse(`${match[1] ?? ''}:${match[2] ?? ''}:${match[3] ?? ''}Z`) : undefined;
}

/** Compresses a file to `FILE.gz` and removes it; on failure the file stays. */
async function compressFile(file: string): Promise<void> {
  const compressed = `${file}.gz`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(compressed, { mode: 0o600 }));
  } catch (error) {
    await rm(compressed, { force: true });
    throw error;
  }
  await rm(file);
}
