import type { AuditBackend } from './audit-backend.js';
import type { AuditEvent } from '../event/audit-event.js';

/** Makes requests wait for the backend but succeed even if it fails (mode `blocking`; `blocking-strict` is the backend without this). */
export class LenientBackend implements AuditBackend {
  readonly #backend: AuditBackend;

  constructor(backend: AuditBackend) {
    this.#backend = backend;
  }

  process(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    const result = this.#backend.process(events);
    return result instanceof Promise ? result.then(() => true) : true;
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}
