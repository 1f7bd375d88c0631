import { type AuditBackend, type AuditFailures, allStored } from './audit-backend.js';
import { type AuditEvent, encodeEvent } from '../event/audit-event.js';

export interface TruncateOptions {
  /** Events above this lose their objects; if still too large they are dropped. */
  readonly maxEventBytes: number;
  /** Larger batches are split. */
  readonly maxBatchBytes: number;
}

const TRUNCATED = Object.freeze({ 'audit.k8s.io/truncated': 'true' });

/** Limits the size of events and batches (apiserver plugin/pkg/audit/truncate). */
export class TruncatingBackend implements AuditBackend {
  readonly #backend: AuditBackend;
  readonly #options: TruncateOptions;
  readonly #failures: AuditFailures;

  constructor(backend: AuditBackend, options: TruncateOptions, failures: AuditFailures) {
    this.#backend = backend;
    this.#options = options;
    this.#failures = failures;
  }

  process(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    const results = this.#batches(events).map((batch) => this.#backend.process(batch));
    return allStored(results);
  }

  close(): Promise<void> {
    return this.#backend.close();
  }

  #batches(events: readonly AuditEvent[]): AuditEvent[][] {
    const batches: AuditEvent[][] = [];
    let bytes = 0;
    for (const given of events) {
      const [event, size] = this.#fit(given);
      if (size > this.#options.maxEventBytes) {
        this.#failures.failed('truncate', 'event is too large even after truncating', [event]);
        continue;
      }
      const last = batches.at(-1);
      if (last && bytes + size <= this.#options.maxBatchBytes) {
        last.push(event);
        bytes += size;
      } else {
        batches.push([event]);
        bytes = size;
      }
    }
    return batches;
  }

  /** Returns the event, truncated if necessary, and its size. */
  #fit(event: AuditEvent): [AuditEvent, number] {
    const size = sizeOf(event);
    if (size <= this.#options.maxEventBytes || event.level === 'Metadata') return [event, size];
    const { requestObject: _request, responseObject: _response, ...rest } = event;
    const shorter = { ...rest, annotations: { ...event.annotations, ...TRUNCATED } };
    return [shorter, sizeOf(shorter)];
  }
}

function sizeOf(event: AuditEvent): number {
  return Buffer.byteLength(encodeEvent(event)) + 1;
}
