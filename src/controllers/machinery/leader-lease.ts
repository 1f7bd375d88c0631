import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { Lease, LeaseSpec } from '../../apis/coordination/lease/lease.schema.js';
import { renewalTime } from '../../apis/coordination/lease/lease.resource.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import { API_SERVER, systemContext } from '../../registry/resource/request-context.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { Scheduler } from '../../time/scheduler.js';
import { microTime } from '../../apimachinery/go/go-time.js';
import { tookEffect } from './retry-queue.js';

export interface LeaderLeaseOptions {
  readonly leases: ResourceStore<Lease>;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process. */
  readonly identity: string;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
  /** Called when this process starts or stops holding the lease. */
  readonly onLeading?: (leading: boolean) => void;
}

const LEASE_MS = 15_000;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2000;
/** Rarer than client-go's, since each renewal is a write on a server that may have nothing else to do; one that fails is tried again in time. */
const RENEW_MS = 5000;
/** Spreads the attempts of replicas. */
const JITTER = 0.2;

/**
 * Runs work on one replica at a time: the holder of a lease (upstream: client-go tools/leaderelection). Other replicas take over after they
 * have seen the lease unchanged for its duration on a monotonic clock. The holder stops earlier than that, so two never work at once.
 * `start` and `stop` of the work never overlap.
 */
export class LeaderLease {
  readonly #options: LeaderLeaseOptions;
  readonly #work: { start(): Promise<void>; stop(): Promise<void> };
  readonly #abort = new AbortController();
  /** The lease as this process last wrote it. May be set without leading, if the response came too late. */
  #held: StoredObject | undefined;
  #observed: { readonly data: string; readonly at: number } | undefined;
  #leading = false;
  /** Whether the last attempt failed. */
  #failing = false;
  #transition: Promise<void> = Promise.resolve();
  #attempting: Promise<void> = Promise.resolve();
  #cancelAttempt: (() => void) | undefined;
  #cancelDeadline: (() => void) | undefined;

  constructor(options: LeaderLeaseOptions, work: { start(): Promise<void>; stop(): Promise<void> }) {
    this.#options = options;
    this.#work = work;
  }

  start(): void {
    this.#attempting = this.#attempt();
  }

  /** Stops the work and releases the lease, so that another replica can take over at once. */
  async stop(): Promise<void> {
    this.#cancelAttempt?.();
    this.#abort.abort();
    await this.#attempting;
    this.#cancelAttempt?.();
    const held = this.#held;
    this.#stepDown();
    await this.#transition;
    if (held) await this.#release(held);
  }

  async #attempt(): Promise<void> {
    const { scheduler } = this.#options;
    const begun = scheduler.now();
    try {
      const held = await this.#acquireOrRenew();
      // other replicas count from the write, which may have happened as early as the request for it
      if (held && scheduler.now() < begun + RENEW_DEADLINE_MS) this.#lead(begun);
      else this.#stepDown();
      this.#failing = false;
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#logFailure(error, 'cannot renew the lease of a controller; trying every two seconds');
    }
    if (this.#abort.signal.aborted) return;
    const rest = this.#leading && !this.#failing ? begun + RENEW_MS - scheduler.now() : 0;
    const delay = Math.max(RETRY_MS, rest) * (1 + JITTER * Math.random());
    this.#cancelAttempt = scheduler.after(delay, () => void (this.#attempting = this.#attempt()));
  }

  /** The first of several failures in a row. The cause is logged with it, so that an outage of the database is told once for all (Outage). */
  #logFailure(error: unknown, message: string): void {
    const { logger, name } = this.#options;
    const isPlainRefusal = error instanceof ApiError && error.cause === undefined;
    const fields = { ...(isPlainRefusal ? { reason: error.message } : { err: error }), lease: name };
    if (this.#failing) logger.debug(fields, message);
    else logger.warn(fields, message);
    this.#failing = true;
  }

  #lead(since: number): void {
    const { scheduler, logger, name, identity } = this.#options;
    this.#cancelDeadline?.();
    this.#cancelDeadline = scheduler.after(since + RENEW_DEADLINE_MS - scheduler.now(), () => this.#stepDown());
    if (this.#leading) return;
    this.#leading = true;
    this.#options.onLeading?.(true);
    logger.info({ lease: name, identity }, 'this replica runs the elected controllers');
    this.#then(() => this.#work.start());
  }

  #stepDown(): void {
    this.#cancelDeadline?.();
    if (!this.#leading) return;
    this.#leading = false;
    this.#held = undefined;
    this.#options.onLeading?.(false);
    this.#options.logger.info({ lease: this.#options.name }, 'this replica no longer runs the elected controllers');
    this.#then(() => this.#work.stop());
  }

  #then(step: () => Promise<void>): void {
    this.#transition = this.#transition.then(step).catch((error: unknown) => {
      this.#options.logger.error({ err: error }, 'the elected controllers did not start or stop cleanly');
    });
  }

  async #acquireOrRenew(): Promise<boolean> {
    if (this.#held && (await this.#write(this.#held))) return true;
    const current = await this.#get();
    if (!current) return await this.#create();
    if (this.#observed?.data !== current.data) this.#observed = { data: current.data, at: this.#options.scheduler.now() };
    return this.#isFree(current) && (await this.#write(current));
  }

  #isFree(current: StoredObject): boolean {
    const { holderIdentity, leaseDurationSeconds } = specOf(current);
    if (!holderIdentity || holderIdentity === this.#options.identity) return true;
    const duration = leaseDurationSeconds === undefined ? LEASE_MS : leaseDurationSeconds * 1000;
    return this.#options.scheduler.now() >= (this.#observed?.at ?? 0) + duration;
  }

  async #get(): Promise<StoredObject | undefined> {
    try {
      return await this.#options.leases.get(this.#target(), { resourceVersion: '' });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }

  async #create(): Promise<boolean> {
    const { leases, name, now } = this.#options;
    const time = microTime(now());
    const lease: Lease = { metadata: { name }, spec: { ...this.#ownSpec(time), acquireTime: time, leaseTransitions: 0 } };
    return await this.#won(leases.create(this.#context(), { ...this.#target(), name: '' }, lease, WRITE));
  }

  #write(current: StoredObject): Promise<boolean> {
    const { acquireTime, renewTime, leaseTransitions = 0, holderIdentity } = specOf(current);
    const time = renewalTime(renewTime, this.#options.now());
    const mine = holderIdentity === this.#options.identity;
    return this.#put(current, {
      ...this.#ownSpec(time),
      acquireTime: mine ? acquireTime : time,
      leaseTransitions: leaseTransitions + (mine ? 0 : 1),
    });
  }

  async #release(held: StoredObject): Promise<void> {
    const time = microTime(this.#options.now());
    const { leaseTransitions } = specOf(held);
    try {
      await this.#put(held, { holderIdentity: '', leaseDurationSeconds: 1, renewTime: time, acquireTime: time, leaseTransitions });
    } catch (error) {
      this.#logFailure(error, 'cannot release the lease of a controller');
    }
  }

  #put(current: StoredObject, spec: LeaseSpec): Promise<boolean> {
    const lease = JSON.parse(current.data) as Lease;
    const next = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(current.revision) }, spec };
    const source = { next: () => next, mayCreate: false, tracksFields: 'update', retries: false } as const;
    return this.#won(this.#options.leases.update(this.#context(), this.#target(), source, WRITE).then(({ object }) => object));
  }

  /** False if another replica wrote first. */
  #won(write: Promise<StoredObject>): Promise<boolean> {
    return tookEffect(write.then((object) => (this.#held = object)));
  }

  #ownSpec(renewTime: string): LeaseSpec {
    return { holderIdentity: this.#options.identity, leaseDurationSeconds: LEASE_MS / 1000, renewTime };
  }

  #target(): RequestTarget {
    const { leases, namespace, name } = this.#options;
    return { version: leases.definition.storageVersion, namespace, name };
  }

  /**
   * Not aborted by stop(), which still has to release the lease. The deadline keeps a late write from extending a lease that this process
   * has given up.
   */
  #context() {
    return systemContext(API_SERVER, undefined, performance.now() + RENEW_DEADLINE_MS);
  }
}

const WRITE = { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' } as const;

function specOf({ data }: StoredObject): LeaseSpec {
  return (JSON.parse(data) as Lease).spec ?? {};
}
