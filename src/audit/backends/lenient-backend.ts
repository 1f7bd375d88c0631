import type { AuditBackend } from './audit-backend.js';
import type { AuditEvent } from '../event/audit-event.js';
import { whenReady } from '../../time/when-ready.js';

/** Makes requests wait for the backend but succeed even if it fails (mode `blocking`; `blocking-strict` is the backend without this). */
export class LenientBackend implements AuditBackend {
  readonly #backend: AuditBackend;

  constructor(backend: AuditBackend) {
    this.#backend = backend;
  }

  process(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    return whenReady(this.#backend.process(events), () => true);
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}
