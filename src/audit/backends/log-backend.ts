import { printable, printableJson } from '../../apimachinery/text/printable.js';
import type { AuditBackend, AuditFailures } from './audit-backend.js';
import { type AuditEvent, describeEvent, encodeEvent } from '../event/audit-event.js';

export const AUDIT_LOG_FORMATS = ['legacy', 'json'] as const;
export type AuditLogFormat = (typeof AUDIT_LOG_FORMATS)[number];

/** Appends text in order. */
export interface AuditLog {
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
