import type { Logger } from 'pino';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { eventDefinition } from '../../apis/core/event/event.resource.js';
import { storageResource } from '../../registry/resource/resource-definition.js';
import type { ObjectStore, StoredObject } from '../../storage/object-store.js';
import type { Scheduler } from '../../time/scheduler.js';
import { isStorageError } from '../../storage/storage-errors.js';

export interface EventExpiryOptions {
  readonly objects: ObjectStore;
  /** How long an event is kept after its last write (`--event-ttl`). */
  readonly ttlMs: number;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

/** Interval of sweeps; shorter if the time to live is shorter. */
const SWEEP_MS = 30_000;
/** Concurrent deletions: they share commits with other writes, and are too few to delay them. */
const BATCH = 64;

/**
 * Deletes expired events (upstream: an etcd lease per event). Reads the cache alone and deletes by compare-and-set, so an event written at
 * the same moment stays. Any number of replicas may run it.
 */
export class EventExpiryReconciler {
  readonly #options: EventExpiryOptions;
  /** Write time of a state, computed once. Entries go with their states. */
  readonly #written = new WeakMap<StoredObject, number>();
  #cancel: (() => void) | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: EventExpiryOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    this.#schedule();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#sweeping;
  }

  /** Deletes the events that have expired by now; resolves when all are deleted. */
  async sweep(): Promise<void> {
    const { objects, now, ttlMs } = this.#options;
    const deadline = now() - ttlMs;
    const predicate = (event: StoredObject) => this.#writtenAt(event) <= deadline;
    const { objects: expired } = await objects.list(
      { resource: storageResource(eventDefinition) },
      { consistency: { kind: 'any' }, predicate },
    );
    for (let at = 0; at < expired.length && !this.#stopped; at += BATCH) {
      await Promise.all(expired.slice(at, at + BATCH).map((event) => this.#delete(event)));
    }
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancel = this.#options.scheduler.after(Math.min(SWEEP_MS, this.#options.ttlMs / 2), () => {
      this.#sweeping = this.sweep()
        .catch((err: unknown) => this.#options.logger.warn({ err }, 'cannot delete expired events; trying again'))
        .then(() => this.#schedule());
    });
  }

  /** Ignores conflicts: another replica deleted the event, or it was written again. */
  async #delete(event: StoredObject): Promise<void> {
    try {
      await this.#options.objects.delete(event);
    } catch (error) {
      if (!isStorageError(error, 'Conflict') && !isStorageError(error, 'NotFound')) throw error;
    }
  }

  #writtenAt(event: StoredObject): number {
    let time = this.#written.get(event);
    if (time === undefined) this.#written.set(event, (time = lastWrite(JSON.parse(event.data) as KubeObject, this.#options.now())));
    return time;
  }
}

/**
 * The creation time or the newest time in managedFields, which every write updates. Times in the future are ignored, because this server
 * did not write them.
 */
function lastWrite({ metadata }: KubeObject, now: number): number {
  const times = [metadata.creationTimestamp, ...(metadata.managedFields ?? []).map(({ time }) => time)];
  return Math.max(...times.map((time) => (time === undefined ? 0 : Date.parse(time))).filter((time) => time <= now), 0);
}
