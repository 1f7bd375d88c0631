import { createHmac } from 'node:crypto';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { Event } from '../../apis/core/event/event.schema.js';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import type { WebhookClient } from '../../auth/webhook/webhook-client.js';
import { systemContext } from '../../registry/resource/request-context.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import type { Clock } from '../../telemetry/clock.js';
import { LEASE_EXPIRY } from '../machinery/declared-controller.js';
import type { LapseReceiver } from './lapse-announcer.js';

const LONGEST_NAME = 253;
const WRITE = { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' } as const;

type Events = Pick<ResourceStore<Event>, 'definition' | 'create' | 'update'>;

/**
 * Writes an Event for each lapse as client-go's recorder does (tools/record): one for a term, whose count grows. Its name follows from the
 * term, so that a second try finds what the first one wrote.
 */
export class LapseEvents implements LapseReceiver {
  readonly #events: Events;

  constructor(events: Events) {
    this.#events = events;
  }

  async tell(_id: string, term: LeaseTerm): Promise<void> {
    const event = eventOf(term);
    const target = this.#target(term, event.metadata.name ?? '');
    const context = systemContext(LEASE_EXPIRY);
    try {
      await this.#events.create(context, { ...target, name: '' }, event, WRITE);
      return;
    } catch (error) {
      if (isGone(error)) return;
      if (!(error instanceof ApiError && error.status.reason === 'AlreadyExists')) throw error;
    }
    const { count, lastTimestamp } = event;
    const next = (live: KubeObject | undefined): KubeObject => {
      const known = live as Event;
      const changed: Event = { ...known, count, lastTimestamp };
      return (known.count ?? 0) >= (count ?? 0) ? known : changed;
    };
    const source = { next, mayCreate: false, tracksFields: 'update', retries: true } as const;
    await this.#events.update(context, target, source, WRITE).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  }

  close(): void {
    // nothing is open
  }

  #target({ metadata: { namespace = '' } }: LeaseTerm, name: string): RequestTarget {
    return { version: this.#events.definition.storageVersion, namespace, name };
  }
}

/** The namespace, or the event, is gone. Another 403 is an exceeded quota. */
function isGone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { causes = [] } = error.status.details ?? {};
  return error.code === 404 || causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

function eventOf({ metadata: { namespace }, spec, status }: LeaseTerm): Event {
  const at = `${(status.lapsedAt ?? '').slice(0, 19)}Z`;
  const token = BigInt(spec.fencingToken).toString(16).padStart(16, '0');
  const name = spec.leaseName.slice(0, LONGEST_NAME - token.length - 1).replace(/[-.]+$/, '');
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${name}.${token}`, namespace },
    involvedObject: { kind: 'Lease', namespace, name: spec.leaseName, uid: spec.leaseUID, apiVersion: 'coordination.k8s.io/v1' },
    reason: 'LeaseExpired',
    message: `${spec.holder} did not renew in time`,
    source: { component: LEASE_EXPIRY },
    firstTimestamp: at,
    lastTimestamp: at,
    count: status.lapses ?? 1,
    type: 'Warning',
    eventTime: null,
    reportingComponent: LEASE_EXPIRY,
    reportingInstance: '',
  };
}

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
