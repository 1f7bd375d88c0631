import { createHmac } from 'node:crypto';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import type { WebhookClient } from '../../auth/webhook/webhook-client.js';
import type { Clock } from '../../telemetry/clock.js';
import type { LapseReceiver } from './lapse-announcer.js';

const TIMEOUT_MS = 10_000;

/** The headers of a signed message (Standard Webhooks 1.0): receivers check it with any of its libraries. */
export function signatureHeaders(id: string, seconds: number, body: string, secret: Buffer): Record<string, string> {
  const signature = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}

/** Posts each lapse to a webhook. Every try has the same id. */
export class LapseWebhook implements LapseReceiver {
  readonly #client: WebhookClient;
  readonly #secret: Buffer | undefined;
  readonly #now: Clock;

  constructor(client: WebhookClient, secret: Buffer | undefined, now: Clock) {
    this.#client = client;
    this.#secret = secret;
    this.#now = now;
  }

  async tell(id: string, term: LeaseTerm): Promise<void> {
    const body = JSON.stringify({ type: 'lease.expired', timestamp: term.status.lapsedAt, data: term });
    const seconds = Math.floor(this.#now() / 1000);
    const headers = this.#secret ? signatureHeaders(id, seconds, body, this.#secret) : { 'webhook-id': id };
    await this.#client.post(body, { headers, timeoutMs: TIMEOUT_MS });
  }

  close(): void {
    this.#client.close();
  }
}
