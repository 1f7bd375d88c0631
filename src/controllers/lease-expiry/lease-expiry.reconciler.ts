import type { Logger } from 'pino';
import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { objectPath } from '../../storage/object-path.js';
import type { ObjectStore, StoredObject } from '../../storage/object-store.js';
import type { Storage } from '../../storage/storage.js';
import type { LapseChange } from '../../storage/term-change.js';
import type { Scheduler } from '../../time/scheduler.js';
import { Informer } from '../machinery/informer.js';
import type { LapseAnnouncer } from './lapse-announcer.js';
import { LapseTimers } from './lapse-timers.js';
import type { LeaseExpiryMetrics } from './lease-expiry-metrics.js';
import { TermFollower } from './term-follower.js';

export interface LeaseExpiryOptions {
  readonly leases: ResourceStore<Lease>;
  readonly objects: Pick<ObjectStore, 'watch' | 'ageOf'>;
  readonly lapses: Pick<Storage['lapses'], 'change' | 'list' | 'clock'>;
  /** Absent: nobody is told. */
  readonly announcer: LapseAnnouncer | undefined;
  readonly metrics: LeaseExpiryMetrics;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/** Terms that one statement marks: few enough that no write waits long for it. */
const BATCH = 100;
/** How much later than another one a replica judges. */
const LEAST_LAG_MS = 60;
const MAX_LAG_MS = 120;
const RETRY_MS = 250;

/**
 * Marks the terms of holders whose time is over by the database's clock and this server's, and of those that renewed late, in the database (docs/decisions/0029-lapses.md). Every
 * replica does this; the database makes sure that each lapse takes effect once. The one whose marks took effect last judges at once, and
 * the others a moment later, when they have usually seen its marks.
 */
export class LeaseExpiryReconciler {
  readonly #options: LeaseExpiryOptions;
  readonly #timers: LapseTimers;
  readonly #clock: DatabaseClock;
  readonly #informer: Informer;
  readonly #follower: TermFollower;
  /** Leases with marks of this replica that their terms have not told of yet: the answer to a mark usually arrives before. */
  readonly #marked = new Set<string>();
  #lagMs = someLag();
  #marking: Promise<void> | undefined;
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #stopped = false;

  constructor(options: LeaseExpiryOptions) {
    const { leases: store, objects, lapses, scheduler, logger, metrics } = options;
    this.#options = options;
    this.#timers = new LapseTimers((revision) => objects.ageOf(revision));
    this.#clock = new DatabaseClock({ read: () => lapses.clock(), onStep: () => this.#armAnew(), scheduler, logger });
    this.#informer = new Informer({ store, scheduler, logger, onChange: (...change) => this.#written(...change) });
    this.#follower = new TermFollower({
      ...{ objects, lapses, scheduler, logger },
      onList: () => this.#listed(),
      onChange: (path, change) => {
        metrics.termChanged(path, change, scheduler.now());
        if (change.news) this.#options.announcer?.wake(this.#lagMs);
        this.#termIs(path, change.lapsed);
      },
    });
    metrics.sample(
      () => this.#timers.counts(this.#clock.now()),
      () => scheduler.now(),
    );
  }

  async start(): Promise<void> {
    await this.#clock.start();
    await this.#follower.start();
    await this.#informer.start();
    this.#options.announcer?.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#alarm?.cancel();
    this.#clock.stop();
    this.#informer.stop();
    this.#follower.stop();
    await this.#marking;
    await this.#options.announcer?.stop();
  }

  #written(lease: StoredObject, gone: boolean, path: string): void {
    if (gone) this.#deleted(path);
    else this.#timers.written(path, lease, this.#clock.now(), this.#follower.hasLapsed(path));
    this.#arm();
  }

  #deleted(path: string): void {
    this.#marked.delete(path);
    this.#timers.deleted(path);
  }

  #listed(): void {
    this.#marked.clear();
    for (const lease of this.#informer.all()) {
      const path = objectPath(lease.key);
      this.#timers.termIs(path, this.#follower.hasLapsed(path), lease, this.#clock.now());
    }
    this.#arm();
  }

  #termIs(path: string, lapsed: boolean): void {
    const isNew = this.#timers.termIs(path, lapsed, this.#informer.get(path), this.#clock.now());
    const isOwn = this.#marked.delete(path);
    if (isNew && lapsed && !isOwn) this.#lagMs ||= someLag();
    this.#arm();
  }

  /** The estimate of the database's clock was wrong, and so is the alarm. */
  #armAnew(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
    this.#arm();
  }

  #arm(): void {
    if (this.#marking || this.#stopped) return;
    const at = this.#timers.next + this.#lagMs;
    if (this.#alarm && this.#alarm.at <= at) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (at === Infinity) return;
    const cancel = this.#options.scheduler.after(Math.max(0, Math.min(at - this.#clock.now(), LONGEST_SLEEP_MS)), () => {
      this.#alarm = undefined;
      this.#judge();
    });
    this.#alarm = { at, cancel };
  }

  #judge(): void {
    const now = this.#clock.now() - this.#lagMs;
    const changes = this.#timers.take(now, BATCH, (path) => this.#informer.get(path));
    if (changes.length === 0) return this.#arm();
    for (const { namespace, lease } of changes) this.#marked.add(`${namespace}/${lease}`);
    this.#marking = this.#mark(changes).finally(() => {
      this.#marking = undefined;
      this.#arm();
    });
  }

  async #mark(changes: readonly LapseChange[]): Promise<void> {
    const { lapses, logger, metrics, scheduler } = this.#options;
    let changed: ReadonlySet<string>;
    try {
      changed = await lapses.change(changes);
    } catch (err) {
      logger.warn({ err, leases: changes.length }, 'cannot mark the terms of leases that have expired; trying again');
      await new Promise<void>((resolve) => scheduler.after(RETRY_MS, resolve));
      for (const { namespace, lease } of changes) {
        this.#marked.delete(`${namespace}/${lease}`);
        this.#timers.again(`${namespace}/${lease}`, this.#clock.now());
      }
      return;
    }
    // only the watch of terms tells their state: this answer may be older than what it has told already
    for (const { namespace, lease, lapsed } of changes) {
      const path = `${namespace}/${lease}`;
      if (changed.has(path)) {
        if (lapsed) metrics.expired();
        continue;
      }
      this.#marked.delete(path);
      this.#timers.inVain(path, this.#clock.now());
    }
    this.#lagMs = changed.size > 0 ? 0 : someLag();
  }
}

/** Timers of the system overflow beyond this. */
const LONGEST_SLEEP_MS = 3_600_000;

function someLag(): number {
  return LEAST_LAG_MS + Math.random() * (MAX_LAG_MS - LEAST_LAG_MS);
}

export interface DatabaseClockOptions {
  /** The database's clock, in milliseconds. */
  readonly read: () => Promise<number>;
  /** Called when the estimate turns out to have been wrong, as after a failover or a suspension of this machine. */
  readonly onStep?: () => void;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

const PERIOD_MS = 10_000;
/** A reading that took longer counts only if it proves the estimate wrong. */
const LONGEST_READING_MS = 100;
/** Less than this is no step. */
const STEP_MS = 20;

/** An estimate of the database's clock: this process's monotonic one, and the difference that was read last. */
export class DatabaseClock {
  readonly #options: DatabaseClockOptions;
  #difference: number | undefined;
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(options: DatabaseClockOptions) {
    this.#options = options;
  }

  now(): number {
    return this.#options.scheduler.now() + (this.#difference ?? 0);
  }

  /** Resolves once the clock has been read, or after a failure. */
  async start(): Promise<void> {
    await this.#read();
    if (!this.#stopped) this.#cancel = this.#options.scheduler.after(this.#known ? PERIOD_MS : 1_000, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  get #known(): boolean {
    return this.#difference !== undefined;
  }

  async #read(): Promise<void> {
    const { read, onStep, scheduler, logger } = this.#options;
    const asked = scheduler.now();
    try {
      const time = await read();
      const answered = scheduler.now();
      const [least, most, known] = [time - answered, time - asked, this.#difference];
      if (most - least > LONGEST_READING_MS && known !== undefined && known >= least && known <= most) return;
      this.#difference = (least + most) / 2;
      if (known === undefined || Math.abs(this.#difference - known) > STEP_MS) onStep?.();
    } catch (err) {
      logger.debug({ err }, "cannot read the database's clock; trying again");
    }
  }
}
