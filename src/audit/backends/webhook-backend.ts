import { setTimeout } from 'node:timers/promises';
import type { AuditBackend, AuditFailures } from './audit-backend.js';
import { type AuditEvent, encodeEventList } from '../event/audit-event.js';
import { type WebhookClient, withRetries } from '../../auth/webhook/webhook-client.js';

/** Posts events as EventLists; every failure is retried (apiserver plugin/pkg/audit/webhook). */
export class WebhookBackend implements AuditBackend {
  readonly #client: WebhookClient;
  readonly #initialBackoffMs: number;
  readonly #failures: AuditFailures;
  readonly #closed = new AbortController();

  constructor(client: WebhookClient, initialBackoffMs: number, failures: AuditFailures) {
    this.#client = client;
    this.#initialBackoffMs = initialBackoffMs;
    this.#failures = failures;
  }

  async process(events: readonly AuditEvent[]): Promise<boolean> {
    const body = encodeEventList(events);
    const { signal } = this.#closed;
    try {
      await withRetries(() => this.#client.post(body), {
        firstPauseMs: this.#initialBackoffMs,
        isFinal: () => signal.aborted,
        wait: (ms) => setTimeout(ms, undefined, { signal }).catch(() => undefined),
      });
      return true;
    } catch (error) {
      this.#failures.failed('webhook', error instanceof Error ? error.message : String(error), events);
      return false;
    }
  }

  /** Gives batches that wait for a retry one last attempt now. */
  close(): Promise<void> {
    this.#closed.abort();
    this.#client.close();
    return Promise.resolve();
  }
}
