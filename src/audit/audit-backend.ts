import type { AuditEvent } from './audit-event.js';

/** Where events go. */
export interface AuditBackend {
  /**
   * Takes events. False: they are lost, and requests must not go on without them. A promise is waited for by the request. Never
   * throws or rejects.
   */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Resolves when everything that was taken is where it belongs, or is given up. */
  close(): Promise<void>;
}

/** Told of events that could not be kept. */
export interface AuditFailures {
  failed(plugin: string, reason: string, events: readonly AuditEvent[]): void;
}
