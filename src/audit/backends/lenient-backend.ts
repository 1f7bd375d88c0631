import type { AuditBackend } from '../audit-backend.js';
import type { AuditEvent } from '../audit-event.js';

/** Requests wait for the backend, but go on without it (mode `blocking`; `blocking-strict` goes without this). */
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
