import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { badRequest, tooManyRequests } from '../../../../apimachinery/errors/status-errors.js';
import { parseUpdateOptions } from '../../../../apimachinery/options/write-options.js';
import { allowCreate } from '../../../../endpoints/handlers/allow-create.js';
import { RenewedAccess } from '../../../../endpoints/pipeline/renewed-access.js';
import { RequestLimiting } from '../../../../endpoints/pipeline/request-limiting.js';
import type { ApiRequest } from '../../../../endpoints/request/api-request.js';
import { ScopeServices } from '../../../../endpoints/scope/scope-services.js';
import type { RequestTarget, UpdateResult, UpdateSource } from '../../../../registry/resource/resource-store.js';
import { type Scheduler, SCHEDULER } from '../../../../time/scheduler.js';
import { LOGGER } from '../../../../telemetry/logger.js';
import type { Gauge } from '../../../../telemetry/metrics/gauge.js';
import { type ServerMetrics, SERVER_METRICS } from '../../../../telemetry/metrics/metric-registry.js';
import type { Lease } from '../lease.schema.js';
import { leaseV1 } from '../lease.resource.js';
import { LeaseStore } from '../lease.module.js';
import { leaseChange } from './lease-change.js';
import { LeaseHeldError } from './lease-held-error.js';
import type { LockOptions } from './lock-options.js';
import { type LockTime, freedLease, isTaken, lockedLease } from './locked-lease.js';
import { WaitingLines } from './waiting-lines.js';

/** Of a name in the log and in an annotation. */
const MAX_CHARACTERS = 256;

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

  /** Waits for a lease that is held, after whoever waits for it in this process already. Resolves with the token. */
  async lock(request: ApiRequest, options: LockOptions): Promise<number> {
    if (options.holder === undefined) throw badRequest('holder is missing');
    const attempt = async (): Promise<number> => {
      const next = (live: Lease | undefined): Lease => lockedLease(live, request.info.name, options, this.#time());
      const authorizeCreate = () => allowCreate(this.services.authorizer, request);
      const { object } = await this.#update(request, { next: next, mayCreate: true, authorizeCreate });
      return object.revision;
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LeaseHeldError) || options.wait === 0) throw error;
      return await this.#wait(request, options.wait, error, attempt);
    }
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

  async #wait(request: ApiRequest, wait: number, first: LeaseHeldError, attempt: () => Promise<number>): Promise<number> {
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
      return await this.#lines.inTurn(`${namespace}/${name}`, signal, () => this.#retry(request, first, signal, attempt));
    } finally {
      cancel();
      this.#waiting.dec();
    }
  }

  /** Repeats the attempt when the lease has changed or expired, as long as the user still may take it. */
  async #retry(request: ApiRequest, first: LeaseHeldError, signal: AbortSignal, attempt: () => Promise<number>): Promise<number> {
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
