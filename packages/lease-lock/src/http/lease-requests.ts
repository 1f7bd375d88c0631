import { connectionFailure } from '../../../../src/kube/connection-failure.js';
import { type Clock, withTimeout } from '../../../kube-client/src/clock.js';
import { KubernetesError, textLines, wholeText } from '../../../kube-client/src/coordination-client.js';
import type { Lease } from '../../../kube-client/src/kubernetes-objects.js';
import type { ApiRequest, ApiResponse, Transport } from '../../../kube-client/src/transport.js';
import { LockError } from '../lock-options.js';

const REQUEST_TIMEOUT = 5_000;
/** The server ends a watch after this time. */
const WATCH_SECONDS = 600;

export interface LeaseEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly lease: Lease;
}

/** What to watch: one lease, or those with a label. */
export type Selector = { readonly name: string } | { readonly label: string };

interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
}

/**
 * The requests for the leases of one namespace. Each rejects with a KubernetesError for an answer that another attempt would not change, and
 * with an `unreachable` LockError for any other failure.
 */
export class LeaseRequests {
  readonly #transport: Transport;
  readonly #collection: string;
  readonly #clock: Clock;
  readonly #time: ServerTime;

  constructor(transport: Transport, namespace: string, clock: Clock, time: ServerTime) {
    this.#transport = transport;
    this.#collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
    this.#clock = clock;
    this.#time = time;
  }

  /** Undefined for a lease that does not exist. */
  async get(name: string, signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#ask({ method: 'GET', path: this.#path(name), signal }, leaseIn);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  create(lease: Lease, signal: AbortSignal): Promise<Lease> {
    return this.#ask({ method: 'POST', path: this.#collection, body: JSON.stringify(lease), signal }, leaseIn);
  }

  /** Replaces exactly the version that the lease names. */
  update(lease: Lease, signal: AbortSignal): Promise<Lease> {
    return this.#ask({ method: 'PUT', path: this.#path(lease.metadata.name), body: JSON.stringify(lease), signal }, leaseIn);
  }

  /** Deletes the lease if it still is this version of it, or with `anyVersion` this object. False if it is not. */
  async remove({ metadata: { name, uid, resourceVersion } }: Lease, signal: AbortSignal, anyVersion = false): Promise<boolean> {
    const preconditions = anyVersion ? { uid } : { uid, resourceVersion };
    try {
      await this.#ask({ method: 'DELETE', path: this.#path(name), body: JSON.stringify({ preconditions }), signal }, () => undefined);
      return true;
    } catch (error) {
      if (isMissing(error) || KubernetesError.isConflict(error)) return false;
      throw error;
    }
  }

  async list(label: string, signal: AbortSignal): Promise<Lease[]> {
    const query = new URLSearchParams({ labelSelector: label });
    const path = `${this.#collection}?${query.toString()}`;
    return this.#ask({ method: 'GET', path, signal }, (list) => (list as { items: Lease[] }).items.map(leaseIn));
  }

  /** The changes after a version, until the server ends the watch. Rejects with a 410 if the version is too old. */
  async *watch(selector: Selector, resourceVersion: string, signal: AbortSignal): AsyncGenerator<LeaseEvent, void, void> {
    const query = new URLSearchParams({ watch: 'true', resourceVersion, timeoutSeconds: String(WATCH_SECONDS) });
    if ('name' in selector) query.set('fieldSelector', `metadata.name=${selector.name}`);
    else query.set('labelSelector', selector.label);
    try {
      const response = await this.#transport({ method: 'GET', path: `${this.#collection}?${query.toString()}`, signal });
      this.#note(response);
      if (response.status >= 300) throw answered(response.status, await wholeText(response));
      for await (const line of textLines(response.body)) {
        const { type, object } = JSON.parse(line) as { type: LeaseEvent['type'] | 'BOOKMARK' | 'ERROR'; object: Lease & StatusBody };
        if (type === 'ERROR') throw answered(object.code ?? 500, line, object);
        if (type !== 'BOOKMARK') yield { type, lease: leaseIn(object) };
      }
    } catch (error) {
      throw failure(error, signal);
    }
  }

  /** `read` takes what it needs from the object that the server sent. */
  async #ask<T>(request: ApiRequest, read: (sent: unknown) => T): Promise<T> {
    try {
      return await withTimeout(this.#clock, REQUEST_TIMEOUT, request.signal, async (signal) => {
        const response = await this.#transport({ ...request, signal });
        this.#note(response);
        const text = await wholeText(response);
        if (response.status >= 300) throw answered(response.status, text);
        return read(JSON.parse(text));
      });
    } catch (error) {
      throw failure(error, request.signal);
    }
  }

  #note({ headers }: ApiResponse): void {
    const date = headers?.['date'];
    if (typeof date === 'string') this.#time.saw(date);
  }

  #path(name = ''): string {
    return `${this.#collection}/${encodeURIComponent(name)}`;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof KubernetesError && error.status === 404;
}

/** The version from which a watch should start is older than what the server remembers. */
export function isTooOld(error: unknown): boolean {
  return error instanceof KubernetesError && error.status === 410;
}

/** Versions grow with every write; 0 for a lease that does not exist. */
export function versionOf(lease: Lease | undefined): bigint {
  return BigInt(lease?.metadata.resourceVersion ?? 0);
}

/** Whether it has not expired, by the times in it. */
export function isCurrent(lease: Lease | undefined, now: Date): boolean {
  const { renewTime = '', leaseDurationSeconds = 0 } = lease?.spec ?? {};
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 >= now.getTime();
}

/** Throws if it is no stored lease: something other than an API server may have answered. */
function leaseIn(sent: unknown): Lease {
  const { metadata } = (sent ?? {}) as Partial<Lease>;
  if (typeof metadata?.name !== 'string' || !/^\d+$/.test(metadata.resourceVersion ?? '')) throw new Error('the answer is no lease');
  return sent as Lease;
}

/** An answer that is not the wanted one. 429 and 5xx may change. */
function answered(status: number, text: string, body: StatusBody = statusBody(text)): Error {
  const message = body.message ?? `${status}: ${text.slice(0, 200)}`;
  if (status === 429 || status >= 500) return new LockError('unreachable', `the server cannot answer now: ${message}`);
  return new KubernetesError(status, message, body.reason);
}

function statusBody(text: string): StatusBody {
  try {
    return (JSON.parse(text) as StatusBody | null) ?? {};
  } catch {
    return {}; // proxies answer in plain text
  }
}

/** An error of the network becomes `unreachable`; the caller's own abort remains what it is. */
function failure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof KubernetesError || error instanceof LockError) return error;
  const message = error instanceof Error ? connectionFailure(error) : String(error);
  return new LockError('unreachable', `the server cannot be reached: ${message}`, { cause: error });
}

/** What reaches the leases of one namespace. */
export interface ServerAccess {
  readonly namespace: string;
  readonly requests: LeaseRequests;
  readonly clock: Clock;
  readonly time: ServerTime;
  /** How long a place in the queue lasts without a renewal. */
  readonly ticketSeconds: number;
}

/** The Date header has whole seconds, and an answer takes its time. */
const TOLERANCE = 2_000;

/**
 * The wall time that is written into leases. It is this machine's, corrected by the server's if the two differ by seconds: the times are
 * only hints, but hints that everybody shares.
 */
export class ServerTime {
  readonly #clock: Clock;
  #correction = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    return new Date(this.#clock.wallTime().getTime() + this.#correction);
  }

  /** Notes the Date header of an answer that has just arrived. */
  saw(date: string | undefined): void {
    const time = Date.parse(date ?? '');
    if (Number.isNaN(time)) return;
    const ahead = time + 500 - this.#clock.wallTime().getTime();
    this.#correction = Math.abs(ahead) > TOLERANCE ? ahead : 0;
  }
}
