import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { badRequest, tooManyRequests } from '../../../../apimachinery/errors/status-errors.js';
import { DEFAULT_LIST_OPTIONS } from '../../../../apimachinery/options/list-options.js';
import { parseUpdateOptions } from '../../../../apimachinery/options/write-options.js';
import { allowCreate } from '../../../../endpoints/handlers/create-and-update.js';
import { RenewedAccess } from '../../../../endpoints/pipeline/renewed-access.js';
import { RequestLimiting } from '../../../../endpoints/pipeline/serving-filters.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { ScopeServices } from '../../../../endpoints/scope/request-scope.js';
import type { RequestTarget, ResourceStore, UpdateResult, UpdateSource } from '../../../../registry/resource/resource-store.js';
import { LOGGER } from '../../../../telemetry/logger.js';
import type { Gauge } from '../../../../telemetry/metrics/metric-family.js';
import { type ServerMetrics, SERVER_METRICS } from '../../../../telemetry/metrics/metric-registry.js';
import { type Scheduler, SCHEDULER } from '../../../../time/scheduler.js';
import { LeaseStore } from '../lease.module.js';
import { leaseV1 } from '../lease.resource.js';
import type { Lease } from '../lease.schema.js';
import {
  type LockOptions,
  type LockTime,
  LeaseHeldError,
  askedLease,
  freedLease,
  isTaken,
  lockedLease,
  preferredHolder,
} from './locked-lease.js';

/** Of a name in the log and in an annotation. */
const MAX_CHARACTERS = 256;

/** A lease that a request has taken or renewed. */
export interface Locked {
  readonly token: number;
  /** Who asks the holder to hand it over. */
  readonly preferred: string | undefined;
}

/** Takes, awaits and frees leases for requests. Rejects with a LeaseHeldError or another ApiError. */
@Injectable()
export class LeaseLocks {
  @Inject(SCHEDULER) private readonly scheduler!: Scheduler;
  @Inject(LOGGER) private readonly logger!: Logger;
  readonly #lines = new WaitingLines();
  readonly #waiting: Gauge;

  constructor(
    private readonly leases: LeaseStore,
    private readonly services: ScopeServices,
    private readonly limiting: RequestLimiting,
    private readonly access: RenewedAccess,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
  ) {
    this.#waiting = main.gauge({ name: 'coordination_lock_waiting_requests', help: 'Requests that wait for a lock.', labels: [] }).with();
  }

  /** Waits for a lease that is held, after whoever waits for it in this process already, unless priorities order them. */
  async lock(request: ApiRequest, options: LockOptions): Promise<Locked> {
    if (options.holder === undefined) throw badRequest('holder is missing');
    const attempt = () => this.#attempt(request, options);
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LeaseHeldError) || options.wait === 0) throw error;
      return await this.#wait(request, options, error, attempt);
    }
  }

  /** One attempt. Where the lease is held, it may leave the request that the holder hand it over. */
  async #attempt(request: ApiRequest, options: LockOptions): Promise<Locked> {
    let held: LeaseHeldError | undefined;
    let duration: number | undefined;
    let preferred: string | undefined;
    const next = (live: Lease | undefined): Lease => {
      held = undefined;
      try {
        const lease = lockedLease(live, request.info.name, options, this.#time());
        preferred = preferredHolder(lease, options);
        return lease;
      } catch (error) {
        const asked = live && error instanceof LeaseHeldError ? askedLease(live, options) : undefined;
        if (!asked) throw error;
        held = error as LeaseHeldError;
        duration = durationOf(asked);
        return asked;
      }
    };
    const authorizeCreate = () => allowCreate(this.services.authorizer, request);
    const { object } = await this.#update(request, { next, mayCreate: true, authorizeCreate });
    if (held) throw held.since(object.revision, duration);
    return { token: object.revision, preferred };
  }

  async unlock(request: ApiRequest, options: LockOptions): Promise<void> {
    if (options.holder === undefined && !options.force) throw badRequest('holder is missing; force=true frees the lock whoever holds it');
    let taken: Lease | undefined;
    const next = (live: Lease | undefined): Lease => {
      const lease = live as Lease;
      taken = isTaken(lease, options) ? lease : undefined;
      return freedLease(lease, options, request.user.name.slice(0, MAX_CHARACTERS), this.#time());
    };
    await this.#update(request, { next, mayCreate: false });
    if (taken) this.#tell(request, taken);
  }

  #tell({ info: { namespace, name }, user, loggedAuditId }: ApiRequest, { spec }: Lease): void {
    const [holder, by] = [spec.holderIdentity ?? '', user.name].map((text) => text.slice(0, MAX_CHARACTERS));
    this.logger.warn({ namespace, lease: name, holder, by, auditId: loggedAuditId }, "somebody else's lock was forced open");
  }

  async #wait(
    request: ApiRequest,
    { wait, priority }: LockOptions,
    first: LeaseHeldError,
    attempt: () => Promise<Locked>,
  ): Promise<Locked> {
    if (!this.limiting.watches.begin(request)) throw tooManyRequests('too many requests of this user wait already', 1);
    const over = new AbortController();
    const cancel = this.scheduler.after(wait, () => over.abort(first));
    this.limiting.inFlight.startStream(request, () => over.abort(first));
    const signal = AbortSignal.any([request.signal, over.signal]);
    const { namespace, name } = request.info;
    this.services.errors.note(request, first);
    request.admission.waitForOthers();
    this.#waiting.inc();
    try {
      const retry = () => this.#retry(request, first, signal, attempt);
      return priority === undefined ? await this.#lines.inTurn(`${namespace}/${name}`, signal, retry) : await retry();
    } finally {
      cancel();
      this.#waiting.dec();
    }
  }

  /** Repeats the attempt when the lease has changed or expired, as long as the user still may take it. */
  async #retry(request: ApiRequest, first: LeaseHeldError, signal: AbortSignal, attempt: () => Promise<Locked>): Promise<Locked> {
    for (let held = first; ;) {
      await leaseChange(this.leases, targetOf(request), held.revision, { ms: held.expiresIn, signal, scheduler: this.scheduler });
      signal.throwIfAborted();
      await this.access.check(request);
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof LeaseHeldError)) throw error;
        held = error;
      }
    }
  }

  #time(): LockTime {
    return { now: this.services.now(), ageOf: (revision) => this.leases.ageOf(revision) };
  }

  #update(request: ApiRequest, source: Omit<UpdateSource, 'tracksFields' | 'retries'>): Promise<UpdateResult> {
    const options = parseUpdateOptions(request.query);
    return this.leases.update(request, targetOf(request), { ...source, tracksFields: 'update', retries: true }, options);
  }
}

function targetOf({ info }: ApiRequest): RequestTarget {
  return { version: leaseV1, namespace: info.namespace, name: info.name };
}

function durationOf({ spec }: Lease): number | undefined {
  const seconds = spec?.leaseDurationSeconds;
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}

/** Resolves when the lease has changed after a revision, when the time is over, if there is one, or when the signal aborts. */
export async function leaseChange(
  store: ResourceStore,
  target: RequestTarget,
  revision: number,
  { ms, signal, scheduler }: { readonly ms: number | undefined; readonly signal: AbortSignal; readonly scheduler: Scheduler },
): Promise<void> {
  let done = (): void => undefined;
  const changed = new Promise<void>((resolve) => (done = resolve));
  const watch = await store.watch(target, { ...DEFAULT_LIST_OPTIONS, watch: true, resourceVersion: String(revision) }, () => done());
  const cancel = ms === undefined ? undefined : scheduler.after(ms, done);
  signal.addEventListener('abort', done, { once: true });
  if (signal.aborted) done();
  try {
    await Promise.race([changed, watch.closed]);
  } finally {
    cancel?.();
    signal.removeEventListener('abort', done);
    watch.close();
  }
}

/** Lets the requests of this process that wait for the same thing come one after the other, in order of arrival. */
export class WaitingLines {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs the work once everybody before has left. Rejects with the signal's reason if it aborts earlier. */
  async inTurn<T>(line: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(line) ?? Promise.resolve();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const end = before.then(() => left);
    this.#last.set(line, end);
    void end.then(() => {
      if (this.#last.get(line) === end) this.#last.delete(line);
    });
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      leave();
    }
  }
}

function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborts = (): void => reject(signal.reason as Error);
    if (signal.aborted) return aborts();
    signal.addEventListener('abort', aborts, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', aborts);
      resolve();
    });
  });
}
