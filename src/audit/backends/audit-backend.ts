import type { AuditEvent } from '../event/audit-event.js';

/** A destination of events. */
export interface AuditBackend {
  /** Accepts events. False: they are lost and the request must fail. A request waits for a promise. Never throws or rejects. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Resolves when all accepted events are delivered or given up. */
  close(): Promise<void>;
}

/** Records events that were lost. */
export interface AuditFailures {
  failed(plugin: string, reason: string, events: readonly AuditEvent[]): void;
}

/** Combines the results of several backends or batches; a promise only if one of them is. */
export function allStored(results: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const pending = results.filter((result) => result instanceof Promise);
  const stored = results.every((result) => result !== false);
  return pending.length === 0 ? stored : Promise.all(pending).then((all) => stored && all.every(Boolean));
}
