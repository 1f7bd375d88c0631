import { setTimeout } from 'node:timers/promises';
import type { AuditBackend, AuditFailures } from '../audit-backend.js';
import type { AuditEvent } from '../audit-event.js';
import { encodeEventList } from '../audit-event.js';
import type { WebhookClient } from '../../auth/webhook/webhook-client.js';

/** Attempts for one batch, and how much longer each pause between them is (apiserver pkg/util/webhook). */
const ATTEMPTS = 5;
const FACTOR = 1.5;
const JITTER = 0.2;

/** Posts events as EventLists; whatever goes wrong is tried again (apiserver plugin/pkg/audit/webhook). */
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
    let pause = this.#initialBackoffMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#client.post(body);
        return true;
      } catch (error) {
        if (attempt === ATTEMPTS || this.#closed.signal.aborted) return this.#fail(error, events);
      }
      await this.#wait(pause * (1 + JITTER * Math.random()));
      pause *= FACTOR;
    }
  }

  /** Batches that wait for another attempt get it now, and no other. */
  close(): Promise<void> {
    this.#closed.abort();
    this.#client.close();
    return Promise.resolve();
  }

  async #wait(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.#closed.signal }).catch(() => undefined);
  }

  #fail(error: unknown, events: readonly AuditEvent[]): boolean {
    this.#failures.failed('webhook', error instanceof Error ? error.message : String(error), events);
    return false;
  }
}
