import type { ChangeSource, Changes, Snapshot } from '../change-source.js';
import { startAfter } from '../continue-token.js';
import { objectPath, pathBounds } from '../object-path.js';
import type {
  Consistency,
  CreateOptions,
  KeyRange,
  ListOptions,
  ListResult,
  ObjectKey,
  ObjectStore,
  ObjectValue,
  StoredObject,
  UnwatchedStore,
  Watch,
  WatchOptions,
  WatchReceiver,
  WriteOptions,
} from '../object-store.js';
import { MINIMUM_REVISION_WAIT_MS, compactedError, isStorageError, tooLargeRevisionError } from '../storage-errors.js';
import { type RevisionGaps, RevisionWaiters } from '../revisions.js';
import { type Scheduler, systemScheduler } from '../../time/scheduler.js';
import { BacklogBudget, Dispatcher } from './watchers/dispatcher.js';
import { type WatcherHost, type WatchRequest, type WatcherObserver, type InitialPage, CacheWatcher } from './watchers/cache-watcher.js';
import { type FollowerObserver, type FollowerHealth, type FollowerTarget, ChangeFollower } from './follow/change-follower.js';
import { type QuotaObserver, type QuotaOptions, Quota } from './quota.js';
import { type StateView, readPage } from './state/resource-state.js';
import type { Ledgers, Usage } from './state/usage.js';
import { WatchCache } from './state/watch-cache.js';

/** Receives events of a cached store, for metrics and logs. Callbacks must not throw. */
export interface CacheObserver extends FollowerObserver, WatcherObserver {
  readonly quotaExceeded?: QuotaObserver;
}

/** Options of a CachedStore. Times are in milliseconds. */
export interface CachedStoreOptions {
  readonly quota?: QuotaOptions;
  /** The most objects of an uncached resource that a watch which begins with them has in memory. */
  readonly initialPage?: number;
  /** Whether nobody watches the uncached resource, so that its changes are not kept either. */
  readonly unwatched?: boolean;
  /** Length of the window of changes from which watches and pages are served, unless its byte limit shortens it. */
  readonly historyMs?: number;
  readonly historyBytes?: number;
  /** Shortest and longest interval between polls, which do not wait for a wake-up. The inner store may poll as well. */
  readonly pollMinMs?: number;
  readonly pollMaxMs?: number;
  /** How long a consistent read waits for the database before it fails with Unavailable. */
  readonly readTimeoutMs?: number;
  readonly observer?: CacheObserver;
  readonly scheduler?: Scheduler;
}

/** Statistics of a cache, for metrics. */
export interface CacheStatistics {
  readonly objects: number;
  /** Size of the current objects' encodings. */
  readonly bytes: number;
  /** Number of objects by resource, including resources that no longer have any. */
  readonly byResource: ReadonlyMap<string, number>;
  readonly watchers: number;
  /** Cumulative count of watchers whose backlog uses at most this fraction of their budget: 0, 0.25, 0.5 and 1. */
  readonly watchersByBudget: ReadonlyMap<number, number>;
  /** Approximate size of the window. */
  readonly historyBytes: number;
  /** The oldest revision after which a watch can start. */
  readonly oldestRevision: number;
}

/** Upstream guarantees 75 s; a snapshot contains that much history. */
const SNAPSHOT_HISTORY_MS = 75_000;

const BUDGET_PARTS = [0, 0.25, 0.5, 1];

/** The source of a read. Valid only in the turn in which it was taken. */
interface View {
  readonly state: StateView;
  readonly revision: number;
}

/**
 * Serves reads and watches from memory and passes writes to the inner store. The cache has one revision and follows the inner store's
 * changes; consistent reads wait until it contains everything committed before them. While the database is down, it continues to serve
 * reads that accept any state, and watches stay open. Reads before its window go to the inner store.
 */
export class CachedStore implements ObjectStore {
  readonly #inner: UnwatchedStore & ChangeSource;
  readonly #cache: WatchCache;
  readonly #dispatcher = new Dispatcher();
  readonly #waiters: RevisionWaiters;
  readonly #follower: ChangeFollower;
  readonly #quota: Quota;
  readonly #observer: CacheObserver;
  readonly #host: WatcherHost;
  readonly #watchers = new Set<CacheWatcher>();
  readonly #initialPage: number;
  #initialReads: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(inner: UnwatchedStore & ChangeSource, options: CachedStoreOptions = {}) {
    const { scheduler = systemScheduler, observer = {}, historyMs = 1.2 * SNAPSHOT_HISTORY_MS } = options;
    this.#inner = inner;
    this.#initialPage = options.initialPage ?? 1_000;
    this.#observer = observer;
    const maxBytes = options.historyBytes ?? 64 * 1024 * 1024;
    this.#cache = new WatchCache({ historyMs, maxBytes, uncached: inner.uncached, unwatched: options.unwatched }, scheduler);
    this.#waiters = new RevisionWaiters(scheduler);
    this.#quota = new Quota(options.quota ?? {}, () => this.#cache.usage.ledgers, observer.quotaExceeded);
    this.#follower = new ChangeFollower(inner, this.#target(), {
      scheduler,
      observer,
      historyMs: Math.min(historyMs, SNAPSHOT_HISTORY_MS),
      pollMinMs: options.pollMinMs ?? 500,
      pollMaxMs: options.pollMaxMs ?? 5_000,
      barrierTimeoutMs: options.readTimeoutMs ?? 10_000,
    });
    const ended = (watcher: CacheWatcher) => void this.#watchers.delete(watcher);
    const budget = new BacklogBudget(this.#watchers);
    this.#host = { cache: this.#cache, dispatcher: this.#dispatcher, scheduler, observer, budget, ended };
  }

  /** Starts to follow the inner store; reads wait for its first snapshot. Rejects if the first attempt fails, but keeps trying. */
  start(): Promise<void> {
    return this.#follower.start();
  }

  /** Ends all watches and waiting reads. The inner store stays open. */
  close(): void {
    this.#closed = true;
    this.#follower.close();
    for (const watcher of [...this.#watchers]) watcher.end('shutdown');
  }

  /** Truncates the window at this revision, as its limits would eventually. */
  forgetHistory(revision: number): void {
    this.#cache.history.forget(Math.min(revision, this.#cache.revision));
  }

  /** For metrics. */
  statistics(): CacheStatistics {
    const { usage, history } = this.#cache;
    const { objects, bytes } = usage.total;
    return {
      objects,
      bytes,
      byResource: this.#cache.counts(),
      watchers: this.#watchers.size,
      watchersByBudget: this.#watchersByBudget(),
      historyBytes: history.bytes,
      oldestRevision: history.oldest,
    };
  }

  /** Number and size of a resource's objects; undefined if there never were any. */
  sizeOf(resource: string): Readonly<Usage> | undefined {
    return this.#cache.usage.ofResource(resource);
  }

  /** What objects are charged, for metrics. */
  get ledgers(): Ledgers {
    return this.#cache.usage.ledgers;
  }

  /** For readiness. */
  health(): FollowerHealth {
    return this.#follower.health();
  }

  suggest(key: ObjectKey): StoredObject | undefined {
    return this.#cache.loaded ? this.#cache.state(key.resource).get(objectPath(key)) : undefined;
  }

  async get(key: ObjectKey, consistency: Consistency): Promise<{ object?: StoredObject; revision: number }> {
    if (key.resource === this.#inner.uncached) return this.#reachable.get(key, consistency);
    if (!this.#standsAt(consistency)) await this.#reach(consistency);
    const view = this.#view(key.resource, consistency);
    if (!view) return this.#reachable.get(key, consistency);
    return { object: view.state.get(objectPath(key)), revision: view.revision };
  }

  async list(range: KeyRange, options: ListOptions): Promise<ListResult> {
    if (range.resource === this.#inner.uncached) return this.#reachable.list(range, options);
    if (!this.#standsAt(options.consistency)) await this.#reach(options.consistency);
    const view = this.#view(range.resource, options.consistency);
    return view ? readPage(view.state, view.revision, range, options) : this.#reachable.list(range, options);
  }

  create(key: ObjectKey, value: ObjectValue, options?: CreateOptions): Promise<StoredObject> {
    return this.#quota.admit({ key, value, requester: options?.requester }, () => this.#inner.create(key, value, options));
  }

  update(current: StoredObject, value: ObjectValue, options?: WriteOptions): Promise<StoredObject> {
    const write = { key: current.key, value, before: current.data.length };
    return this.#quota.admit(write, () => this.#inner.update(current, value, options));
  }

  delete(current: StoredObject, options?: WriteOptions): Promise<number> {
    return this.#inner.delete(current, options);
  }

  async currentRevision(): Promise<number> {
    await this.#follower.pass();
    return this.#cache.revision;
  }

  ageOf(revision: number): number {
    return this.#cache.ageOf(revision);
  }

  async watch(range: KeyRange, options: WatchOptions, receive: WatchReceiver): Promise<Watch> {
    const request = { range, options, receive };
    try {
      await this.#reach(options.initialState ?? { kind: options.after === undefined ? 'latest' : 'any' });
      if (!options.initialState) return this.#open(request, Number(options.after ?? this.#cache.revision));
      if (range.resource === this.#inner.uncached) return await this.#openUncached(request, options.initialState);
      const view = this.#view(range.resource, options.initialState);
      if (!view) throw compactedError('revision' in options.initialState ? options.initialState.revision : 0, this.#cache.history.oldest);
      return this.#open(request, view.revision, { revision: view.revision, objects: objectsOf(view.state, range) });
    } catch (error) {
      if (!isStorageError(error) || error.code === 'Unavailable') throw error;
      return this.#open(request, this.#cache.revision, undefined, error);
    }
  }

  /** Begins with pages of the inner store, which may be newer than the cache. */
  async #openUncached(request: WatchRequest, consistency: Consistency): Promise<Watch> {
    const first = await this.#readInitial(request, consistency);
    return this.#open(request, first.revision, first);
  }

  async #readInitial(request: WatchRequest, consistency: Consistency, start?: string): Promise<InitialPage> {
    const { range, options } = request;
    const { predicate, equal } = options;
    const list = await this.#reachable.list(range, { consistency, start, predicate, equal, inKeyOrder: true, limit: this.#initialPage });
    const { objects, revision, more, last = objects.at(-1)?.key } = list;
    if (!more || !last) return { objects, revision };
    return { objects, revision, through: objectPath(last), next: () => this.#readNext(request, startAfter(range, last)) };
  }

  /** Watches that begin take turns, so that they leave connections to lists. */
  async #readNext(request: WatchRequest, start: string): Promise<InitialPage> {
    const reading = this.#initialReads.then(() => this.#readInitial(request, { kind: 'latest' }, start));
    this.#initialReads = reading.then(ignore, ignore);
    const page = await reading;
    await this.#reachMinimum(BigInt(page.revision));
    return page;
  }

  #watchersByBudget(): Map<number, number> {
    const parts = new Map(BUDGET_PARTS.map((part) => [part, 0]));
    for (const { budgetUsed } of this.#watchers) {
      for (const part of BUDGET_PARTS) if (budgetUsed <= part) parts.set(part, (parts.get(part) ?? 0) + 1);
    }
    return parts;
  }

  #open(request: WatchRequest, position: number, initial?: InitialPage, error?: Error): Watch {
    const watcher = new CacheWatcher(request, this.#host, position, initial);
    this.#watchers.add(watcher);
    this.#observer.watchStarted?.();
    if (this.#closed) watcher.end('shutdown');
    else watcher.start(error);
    return watcher;
  }

  /** The inner store, for a read. Throws StorageError Unavailable during a known outage. */
  get #reachable(): UnwatchedStore {
    this.#refuseInOutage();
    return this.#inner;
  }

  #refuseInOutage(): void {
    const refusal = this.#follower.outage.refusal();
    if (refusal) throw refusal;
  }

  /** Whether the cache is certainly fresh enough for a read, without asking the database. */
  #standsAt(consistency: Consistency): boolean {
    return (
      this.#cache.loaded && (consistency.kind === 'any' || ('revision' in consistency && consistency.revision <= this.#cache.revision))
    );
  }

  /** Waits until the cache is fresh enough for a read. */
  async #reach(consistency: Consistency): Promise<void> {
    if (consistency.kind === 'latest' || !this.#cache.loaded) await this.#follower.pass();
    if (consistency.kind === 'notOlderThan') await this.#reachMinimum(consistency.revision);
    if (consistency.kind === 'exact') await this.#reachExact(consistency.revision);
  }

  async #reachExact(revision: bigint): Promise<void> {
    if (revision > this.#cache.revision) await this.#follower.pass();
    if (revision > this.#cache.revision) throw tooLargeRevisionError(revision, this.#cache.revision);
  }

  async #reachMinimum(revision: bigint): Promise<void> {
    if (revision <= this.#cache.revision) return;
    this.#refuseInOutage();
    this.#follower.request();
    const reached = await this.#waiters.wait(revision, MINIMUM_REVISION_WAIT_MS);
    if (!reached) throw tooLargeRevisionError(revision, this.#cache.revision);
  }

  /** Undefined for an exact revision before the window. */
  #view(resource: string, consistency: Consistency): View | undefined {
    const gap = consistency.kind === 'exact' ? this.#cache.gaps.around(consistency.revision) : undefined;
    if (gap) throw compactedError((consistency as { revision: bigint }).revision, gap.began);
    const revision = consistency.kind === 'exact' ? Number(consistency.revision) : this.#cache.revision;
    const state = this.#cache.stateAt(resource, revision);
    return state && { state, revision };
  }

  #target(): FollowerTarget {
    const cache = this.#cache;
    return {
      get revision() {
        return cache.revision;
      },
      known: (key) => cache.state(key.resource).get(objectPath(key)),
      load: (snapshot) => this.#load(snapshot),
      apply: (changes, origin) => this.#apply(changes, origin),
    };
  }

  #apply(changes: Changes, origin: 'own' | 'feed'): void {
    if (changes.revision <= this.#cache.revision) return;
    if (changes.gaps) this.#failLost(changes.gaps);
    const events = this.#cache.apply(changes);
    for (const event of events) this.#quota.applied(event.object.key);
    this.#dispatcher.enqueue(events, this.#cache.revision);
    this.#waiters.reached(this.#cache.revision);
    if (events.length > 0) this.#observer.applied?.(events.length, origin);
  }

  /** Watches continue if the snapshot's history reaches back to the cache's revision; the others get an error item. */
  #load(snapshot: Snapshot): void {
    this.#dispatcher.run();
    const before = this.#cache.revision;
    this.#cache.load(snapshot);
    const { after, events } = snapshot.history;
    const continuous = before >= after && before <= snapshot.revision && !this.#cache.gaps.has(before);
    this.#failLost(this.#cache.gaps);
    if (continuous) {
      const missed = events.filter((event) => event.revision > before);
      this.#dispatcher.enqueue(missed, snapshot.revision);
    } else {
      this.#failWatchers(before <= snapshot.revision ? after : Infinity, after);
      this.#dispatcher.reset(snapshot.revision);
      // The remaining watches waited for a revision that the cache had not reached, and have received nothing after it.
      if (this.#watchers.size > 0) this.#dispatcher.enqueue(events, snapshot.revision);
    }
    this.#waiters.reached(snapshot.revision);
    this.#observer.loaded?.(snapshot.objects.length, continuous);
  }

  /** Fails the watches whose clients have seen, or wait for, revisions of a lost history. */
  #failLost(gaps: RevisionGaps): void {
    for (const watcher of [...this.#watchers]) {
      const gap = gaps.around(watcher.revision);
      if (gap) watcher.fail(compactedError(watcher.revision, gap.began));
    }
  }

  /** Fails the watches below a revision. */
  #failWatchers(below: number, oldest: number): void {
    for (const watcher of [...this.#watchers]) {
      if (watcher.revision < below) watcher.fail(compactedError(watcher.revision, oldest));
    }
  }
}

function objectsOf(state: StateView, range: KeyRange): StoredObject[] {
  const objects: StoredObject[] = [];
  state.scan(pathBounds(range), (object) => objects.push(object) > 0);
  return objects;
}

function ignore(): void {}
