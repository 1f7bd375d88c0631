import { Inject, Injectable } from '@nestjs/common';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { type Lease, leaseExpiry } from '../../apis/coordination/lease/lease.schema.js';
import { type RequestContext, systemContext } from '../../registry/resource/request-context.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { objectPath } from '../../storage/object-path.js';
import type { ObjectStore, StoredObject } from '../../storage/object-store.js';
import { LEASE_RESOURCE } from '../../storage/term-change.js';
import { timeSlicer } from '../../storage/time-slicer.js';
import { ABANDONED_LEASES } from '../machinery/declared-controller.js';
import { type QueueServices, type RetryQueue, deleteState, queueOf } from '../machinery/retry-queue.js';

export interface AbandonedLeaseOptions extends QueueServices {
  readonly leases: ResourceStore<Lease>;
  readonly objects: ObjectStore;
  /** How long after its expiry a lease is deleted. */
  readonly ttlMs: number;
  /** The database's clock, in milliseconds. */
  readonly clock: () => Promise<number>;
  /** Called for each lease that was deleted. */
  readonly onDeleted?: () => void;
}

/** Keeps a lease from being deleted, unless it says "false". */
const KEEP_ANNOTATION = 'coordination-apiserver.dev/keep';

const SHORTEST_PERIOD_MS = 10_000;
const LONGEST_PERIOD_MS = 600_000;
/** Leases that are judged in one turn. */
const PAGE = 500;
/** Deletions under way: more than a batch has, so that the next ones wait while earlier ones are committed. */
const CONCURRENT = 500;
/** Renewals come first: a batch of deletions has as few as do not delay them. */
const CONTEXT: RequestContext = { ...systemContext(ABANDONED_LEASES), isPatient: true };

/**
 * Deletes leases that expired long ago by the database's clock, and that this server itself has seen unchanged for their duration, so that no step
 * of a clock deletes one that is renewed. What has no duration never expires.
 */
export class AbandonedLeaseReconciler {
  readonly #options: AbandonedLeaseOptions;
  readonly #queue: RetryQueue<string>;
  #stopped = false;

  constructor(options: AbandonedLeaseOptions) {
    this.#options = options;
    this.#queue = queueOf(ABANDONED_LEASES, options, () => this.#sweep());
  }

  start(): Promise<void> {
    if (this.#options.ttlMs > 0) this.#queue.add('all', 'all');
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#stopped = true;
    return this.#queue.stop();
  }

  async #sweep(): Promise<number> {
    const { clock, ttlMs, logger } = this.#options;
    const abandoned = this.#abandoned((await clock()) - ttlMs);
    const count = { deleted: 0 };
    const all = await Promise.allSettled(Array.from({ length: CONCURRENT }, () => this.#deleteAll(abandoned, count)));
    if (count.deleted > 0) logger.info({ count: count.deleted }, 'deleted leases that expired long ago');
    const failed = all.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    return Math.min(LONGEST_PERIOD_MS, Math.max(SHORTEST_PERIOD_MS, ttlMs / 10));
  }

  async *#abandoned(before: number): AsyncGenerator<StoredObject> {
    for (let start = ''; !this.#stopped;) {
      const page = await this.#options.objects.list(
        { resource: LEASE_RESOURCE },
        { consistency: { kind: 'any' }, limit: PAGE, ...(start && { start }) },
      );
      const { objects } = this.#options;
      yield* page.objects.filter((lease) => isAbandoned(lease, before, objects.ageOf(lease.revision)));
      const last = page.objects.at(-1);
      if (!page.more || !last) return;
      start = `${objectPath(last.key)}\0`;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Rejects with the first failure, which ends the sweep for all that share `leases`. */
  async #deleteAll(leases: AsyncGenerator<StoredObject>, count: { deleted: number }): Promise<void> {
    for await (const lease of leases) {
      if (!this.#stopped && (await timeSlicer.do(() => this.#delete(lease)))) count.deleted += 1;
    }
  }

  async #delete(lease: StoredObject): Promise<boolean> {
    const { leases, onDeleted } = this.#options;
    const isDeleted = await deleteState(CONTEXT, leases, lease);
    if (isDeleted) onDeleted?.();
    return isDeleted;
  }
}

function isAbandoned({ data, terminating }: StoredObject, before: number, age: number): boolean {
  if (terminating) return false;
  const lease = JSON.parse(data) as Lease;
  const keep = lease.metadata.annotations?.[KEEP_ANNOTATION];
  if ((lease.spec?.leaseDurationSeconds ?? Infinity) * 1000 > age) return false;
  return (leaseExpiry(lease, 'end') ?? Infinity) <= before && (keep === undefined || keep === 'false');
}

/** Counts leases that were deleted because they expired long ago. */
@Injectable()
export class AbandonedLeaseMetrics {
  readonly deleted: () => void;

  constructor(@Inject(SERVER_METRICS) { main }: ServerMetrics) {
    const name = 'coordination_abandoned_leases_total';
    const counter = main.counter({ name, help: 'Leases that this replica deleted because they expired long ago.' }).with();
    this.deleted = () => counter.inc();
  }
}
