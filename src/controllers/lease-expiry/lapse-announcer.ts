import type { Logger } from 'pino';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import type { Storage } from '../../storage/storage.js';
import type { Announcement } from '../../storage/term-change.js';
import type { Scheduler } from '../../time/scheduler.js';
import type { LeaseExpiryMetrics } from './lease-expiry-metrics.js';

/** Somebody who is told that a holder is late. Rejects if it has to be told again. */
export interface LapseReceiver {
  tell(id: string, term: LeaseTerm): Promise<void>;
  close(): void;
}

export interface LapseAnnouncerOptions {
  readonly announcements: Pick<Storage['lapses']['announcements'], 'claim' | 'count' | 'done' | 'dropOld' | 'postpone' | 'prolong'>;
  readonly receivers: readonly LapseReceiver[];
  readonly metrics: LeaseExpiryMetrics;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/** Announcements that are sent at a time. */
const BATCH = 32;
/** Another replica takes over what this one claimed this long ago: longer than a receiver may take. */
const CLAIM_SECONDS = 15;
/** How often to look for what other replicas left behind, and for what has to be tried again. */
const PERIOD_MS = 5_000;
const PROLONG_MS = 3_600_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 600_000;
/** How long a stop waits for receivers. What they have not answered by then is told again by another replica. */
const STOP_MS = 2_000;
/** The most announcements of which this replica knows that some receivers have been told. */
const MAX_HALF_TOLD = 1_000;

/**
 * Tells receivers of lapses: each at least once, by whichever replica claims it first. A replica that is killed meanwhile leaves what it
 * has claimed to the others.
 */
export class LapseAnnouncer {
  readonly #options: LapseAnnouncerOptions;
  /** The receivers that have been told, by announcement, while others have not. */
  readonly #halfTold = new Map<string, Set<LapseReceiver>>();
  readonly #done: DoneAnnouncements;
  #running: Promise<void> | undefined;
  #again = false;
  #prolongedAt = -Infinity;
  #countedAt = -Infinity;
  /** Whether the queue was full when it was counted. */
  #full = false;
  #cancel: (() => void) | undefined;
  #wake: (() => void) | undefined;
  #stopped = false;

  constructor(options: LapseAnnouncerOptions) {
    this.#options = options;
    this.#done = new DoneAnnouncements((ids) => options.announcements.done(ids));
  }

  start(): void {
    if (this.#stopped) return;
    this.#run();
    this.#cancel = this.#options.scheduler.after(PERIOD_MS, () => this.start());
  }

  /** There is something to announce; another replica may come first by this much. */
  wake(afterMs: number): void {
    if (this.#stopped) return;
    this.#wake ??= this.#options.scheduler.after(afterMs, () => {
      this.#wake = undefined;
      this.#run();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    this.#wake?.();
    const { receivers, scheduler } = this.#options;
    const close = (): void => receivers.forEach((receiver) => receiver.close());
    const cancel = scheduler.after(STOP_MS, close);
    await this.#running;
    cancel();
    close();
  }

  #run(): void {
    this.#again = true;
    this.#running ??= this.#announceAll()
      .catch((err: unknown) => this.#options.logger.warn({ err }, 'cannot read which expired leases to announce; trying again'))
      .finally(() => (this.#running = undefined));
  }

  async #announceAll(): Promise<void> {
    await this.#maintain();
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const claimed = await this.#options.announcements.claim(BATCH, CLAIM_SECONDS);
      if (claimed.length === BATCH) this.#again = true;
      await Promise.all(claimed.map((announcement) => this.#announce(announcement)));
    }
  }

  async #maintain(): Promise<void> {
    const { announcements, scheduler, metrics, logger } = this.#options;
    if (scheduler.now() - this.#countedAt >= PERIOD_MS) {
      const full = await announcements.count();
      if (full && !this.#full) logger.error('too many announcements of expired leases are waiting; dropping new ones');
      this.#full = full;
      this.#countedAt = scheduler.now();
    }
    if (scheduler.now() - this.#prolongedAt < PROLONG_MS) return;
    await announcements.prolong();
    const dropped = await announcements.dropOld();
    if (dropped > 0) logger.error({ dropped }, 'gave up announcing expired leases after a day');
    metrics.announced('dropped', dropped);
    this.#prolongedAt = scheduler.now();
  }

  async #announce({ id, term, attempts }: Announcement): Promise<void> {
    const { announcements, metrics, logger } = this.#options;
    try {
      const object = JSON.parse(term) as LeaseTerm;
      await this.#tell(id, object);
      await this.#done.add(id);
      this.#halfTold.delete(id);
      metrics.announced('done');
    } catch (err) {
      metrics.announced('failed');
      logger.warn({ err, id, attempts }, 'an expired lease could not be announced; trying again');
      const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1)) * (1 + 0.2 * Math.random());
      // otherwise the claim ends by itself
      await announcements.postpone(id, delay).catch(() => undefined);
    }
  }

  /** Tells those receivers that have not been told by this replica, and rejects if one has to be told again. */
  async #tell(id: string, term: LeaseTerm): Promise<void> {
    const told = this.#halfTold.get(id) ?? new Set();
    const others = this.#options.receivers.filter((receiver) => !told.has(receiver));
    const outcomes = await Promise.allSettled(others.map((receiver) => receiver.tell(id, term).then(() => told.add(receiver))));
    if (told.size > 0) this.#halfTold.set(id, told);
    for (const oldest of this.#halfTold.keys()) {
      if (this.#halfTold.size <= MAX_HALF_TOLD) break;
      this.#halfTold.delete(oldest);
    }
    const failed = outcomes.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

/**
 * Has announcements forgotten that are done. Those that are done while earlier ones are being forgotten share the next statement and its commit,
 * which marks of other leases would otherwise wait for.
 */
export class DoneAnnouncements {
  readonly #forget: (ids: readonly string[]) => Promise<void>;
  #next: { readonly ids: string[]; readonly forgotten: Promise<void> } | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(forget: (ids: readonly string[]) => Promise<void>) {
    this.#forget = forget;
  }

  /** Resolves once it is forgotten; rejects if that failed for those of its statement. */
  add(id: string): Promise<void> {
    this.#next ??= this.#begin();
    this.#next.ids.push(id);
    return this.#next.forgotten;
  }

  #begin() {
    const ids: string[] = [];
    const forgotten = this.#last.then(() => {
      this.#next = undefined;
      return this.#forget(ids);
    });
    this.#last = forgotten.catch(() => undefined);
    return { ids, forgotten };
  }
}
