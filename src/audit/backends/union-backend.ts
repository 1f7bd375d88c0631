import { type AuditBackend, allStored } from './audit-backend.js';
import type { AuditEvent } from '../event/audit-event.js';

/** Sends every event to several backends (apiserver pkg/audit/union.go). */
export class UnionBackend implements AuditBackend {
  readonly #backends: readonly AuditBackend[];

  constructor(backends: readonly AuditBackend[]) {
    this.#backends = backends;
  }

  process(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    const results = this.#backends.map((backend) => backend.process(events));
    return allStored(results);
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }
}
