import { setTimeout } from 'node:timers/promises';
import type { AuditBackend, AuditFailures } from './audit-backend.js';
import type { AuditEvent } from '../event/audit-event.js';
import { encodeEventList } from '../event/audit-event.js';
import type { WebhookClient } from '../../auth/webhook/webhook-client.js';

/** Attempts per batch, and the growth factor of the delay between them (apiserver pkg/util/webhook). */
const ATTEMPTS = 5;
const FACTOR = 1.5;
const JITTER = 0.2;

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

  /** Gives batches that wait for a retry one last attempt now. */
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
