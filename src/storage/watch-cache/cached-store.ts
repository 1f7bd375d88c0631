import type { ChangeSource, Changes, Snapshot } from '../change-source.js';
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
  Watch,
  WatchOptions,
  WatchReceiver,
} from '../object-store.js';
import type { Requester } from '../requester.js';
import { compactedError, isStorageError, tooLargeRevisionError } from '../storage-errors.js';
import type { RevisionGaps } from '../revision-gaps.js';
import type { Scheduler } from '../scheduler.js';
import { systemScheduler } from '../scheduler.js';
import { MINIMUM_REVISION_WAIT_MS } from '../storage-limits.js';
import { BacklogBudget } from './watchers/backlog-budget.js';
import { CacheWatcher } from './watchers/cache-watcher.js';
import type { WatcherHost, WatchRequest, WatcherObserver } from './watchers/cache-watcher.js';
import type { FollowerObserver, FollowerHealth, FollowerTarget } from './follow/change-follower.js';
import { ChangeFollower } from './follow/change-follower.js';
import { Dispatcher } from './watchers/dispatcher.js';
import type { QuotaOptions } from './quota.js';
import { Quota } from './quota.js';
import { readPage } from './state/read-page.js';
import type { StateView } from './state/resource-state.js';
import { RevisionWaiters } from './follow/revision-waiters.js';
import type { Usage } from './state/usage.js';
import { WatchCache } from './state/watch-cache.js';

/** What a cached store reports, for metrics and logs. Callbacks must not throw. */
export interface CacheObserver extends FollowerObserver, WatcherObserver {}

/** The options of a CachedStore. Times are milliseconds. */
export interface CachedStoreOptions {
  readonly quota?: QuotaOptions;
  /** The window of changes that watches and pages are served from: this long where its bytes allow it. */
  readonly historyMs?: number;
  readonly historyBytes?: number;
  /** The shortest and longest time between polls that do not wait for a wake-up. The inner store may poll as well. */
  readonly pollMinMs?: number;
  readonly pollMaxMs?: number;
  /** How long a consistent read waits for the database before it is refused as Unavailable. */
  readonly readTimeoutMs?: number;
  readonly observer?: CacheObserver;
  readonly scheduler?: Scheduler;
}

/** What a cache holds, for metrics. */
export interface CacheStatistics {
  readonly objects: number;
  /** Of the current objects' encodings. */
  readonly bytes: number;
  /** How many objects each resource has that ever had one. */
  readonly byResource: ReadonlyMap<string, number>;
  readonly watchers: number;
  /** Of them, those whose backlog takes at most that part of their budget, by part: 0, 0.25, 0.5 and 1; cumulated. */
  readonly watchersByBudget: ReadonlyMap<number, number>;
  /** What the window takes, more or less. */
  readonly historyBytes: number;
  /** The oldest revision after which a watch can begin. */
  readonly oldestRevision: number;
}

/** Upstream's promise is 75 s; a snapshot brings that much along. */
const SNAPSHOT_HISTORY_MS = 75_000;

const BUDGET_PARTS = [0, 0.25, 0.5, 1];

/** What a read is answered from. Good for the turn in which it was taken. */
interface View {
  readonly state: StateView;
  readonly revision: number;
}

/**
 * Reads and watches from memory, writes to the inner store. The cache stands at one revision and follows the inner store's
 * changes; consistent reads wait until it has everything committed before them. While the database is down it goes on
 * serving reads that take any state, and watches stay open. What lies before its window is asked of the inner store.
 */
export class CachedStore implements ObjectStore {
  readonly #inner: ObjectStore;
  readonly #cache: WatchCache;
  readonly #dispatcher = new Dispatcher();
  readonly #waiters: RevisionWaiters;
  readonly #follower: ChangeFollower;
  readonly #quota: Quota;
  readonly #observer: CacheObserver;
  readonly #host: WatcherHost;
  readonly #watchers = new Set<CacheWatcher>();
  #closed = false;

  constructor(inner: ObjectStore & ChangeSource, options: CachedStoreOptions = {}) {
    const { scheduler = systemScheduler, observer = {}, historyMs = 1.2 * SNAPSHOT_HISTORY_MS } = options;
    this.#inner = inner;
    this.#observer = observer;
    this.#cache = new WatchCache({ historyMs, maxBytes: options.historyBytes ?? 64 * 1024 * 1024 }, scheduler);
    this.#waiters = new RevisionWaiters(scheduler);
    this.#quota = new Quota(options.quota ?? {}, () => this.#cache.usage);
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

  /** Begins to follow the inner store; reads wait for its first snapshot. Rejects if that fails at first; it is tried again. */
  start(): Promise<void> {
    return this.#follower.start();
  }

  /** Ends all watches and waiting reads. The inner store stays open. */
  close(): void {
    this.#closed = true;
    this.#follower.close();
    for (const watcher of [...this.#watchers]) watcher.end('shutdown');
  }

  /** Ends the window at this revision at once, as its limits do in time. */
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

  /** How much of a resource there is; undefined where there was never anything. */
  sizeOf(resource: string): Readonly<Usage> | undefined {
    return this.#cache.usage.ofResource(resource);
  }

  /** For readiness. */
  health(): FollowerHealth {
    return this.#follower.health();
  }

  suggest(key: ObjectKey): StoredObject | undefined {
    return this.#cache.loaded ? this.#cache.state(key.resource).get(objectPath(key)) : undefined;
  }

  async get(key: ObjectKey, consistency: Consistency): Promise<{ object?: StoredObject; revision: number }> {
    if (!this.#standsAt(consistency)) await this.#reach(consistency);
    const view = this.#view(key.resource, consistency);
    if (!view) return this.#inner.get(key, consistency);
    return { object: view.state.get(objectPath(key)), revision: view.revision };
  }

  async list(range: KeyRange, options: ListOptions): Promise<ListResult> {
    if (!this.#standsAt(options.consistency)) await this.#reach(options.consistency);
    const view = this.#view(range.resource, options.consistency);
    return view ? readPage(view.state, view.revision, range, options) : this.#inner.list(range, options);
  }

  create(key: ObjectKey, value: ObjectValue, options?: CreateOptions): Promise<StoredObject> {
    const added = { objects: 1, bytes: value.data.length };
    return this.#quota.admit(key, added, () => this.#inner.create(key, value, options));
  }

  update(current: StoredObject, value: ObjectValue, requester?: Requester): Promise<StoredObject> {
    const added = { objects: 0, bytes: value.data.length - current.data.length };
    return this.#quota.admit(current.key, added, () => this.#inner.update(current, value, requester));
  }

  delete(current: StoredObject, requester?: Requester): Promise<number> {
    return this.#inner.delete(current, requester);
  }

  async currentRevision(): Promise<number> {
    await this.#follower.barrier.pass();
    return this.#cache.revision;
  }

  async watch(range: KeyRange, options: WatchOptions, receive: WatchReceiver): Promise<Watch> {
    const request = { range, options, receive };
    try {
      await this.#reach(options.initialState ?? { kind: options.after === undefined ? 'latest' : 'any' });
      if (!options.initialState) return this.#open(request, Number(options.after ?? this.#cache.revision));
      const view = this.#view(range.resource, options.initialState);
      if (!view) throw compactedError('revision' in options.initialState ? options.initialState.revision : 0, this.#cache.history.oldest);
      return this.#open(request, view.revision, objectsOf(view.state, range));
    } catch (error) {
      if (!isStorageError(error) || error.code === 'Unavailable') throw error;
      return this.#open(request, this.#cache.revision, undefined, error);
    }
  }

  #watchersByBudget(): Map<number, number> {
    const parts = new Map(BUDGET_PARTS.map((part) => [part, 0]));
    for (const { budgetUsed } of this.#watchers) {
      for (const part of BUDGET_PARTS) if (budgetUsed <= part) parts.set(part, (parts.get(part) ?? 0) + 1);
    }
    return parts;
  }

  #open(request: WatchRequest, position: number, initial?: readonly StoredObject[], error?: Error): Watch {
    const watcher = new CacheWatcher(request, this.#host, position, initial);
    this.#watchers.add(watcher);
    this.#observer.watchStarted?.();
    if (this.#closed) watcher.end('shutdown');
    else watcher.start(error);
    return watcher;
  }

  /** Whether the cache is as new as a read must be, as far as that can be told without asking. */
  #standsAt(consistency: Consistency): boolean {
    return (
      this.#cache.loaded && (consistency.kind === 'any' || ('revision' in consistency && consistency.revision <= this.#cache.revision))
    );
  }

  /** Waits until the cache is as new as a read must be. */
  async #reach(consistency: Consistency): Promise<void> {
    if (consistency.kind === 'latest' || !this.#cache.loaded) await this.#follower.barrier.pass();
    if (consistency.kind === 'notOlderThan') await this.#reachMinimum(consistency.revision);
    if (consistency.kind === 'exact') await this.#reachExact(consistency.revision);
  }

  async #reachExact(revision: bigint): Promise<void> {
    if (revision > this.#cache.revision) await this.#follower.barrier.pass();
    if (revision > this.#cache.revision) throw tooLargeRevisionError(revision, this.#cache.revision);
  }

  async #reachMinimum(revision: bigint): Promise<void> {
    if (revision <= this.#cache.revision) return;
    this.#follower.request();
    const reached = await this.#waiters.wait(revision, MINIMUM_REVISION_WAIT_MS);
    if (!reached) throw tooLargeRevisionError(revision, this.#cache.revision);
  }

  /** Undefined: an exact revision that lies before the window. */
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

  /** Watches continue if the snapshot's history reaches back to where the cache stood; the others get an error item. */
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
      // those that are left waited for a revision that the cache had not reached, and have had nothing of what came after it
      if (this.#watchers.size > 0) this.#dispatcher.enqueue(events, snapshot.revision);
    }
    this.#waiters.reached(snapshot.revision);
    this.#observer.loaded?.(snapshot.objects.length, continuous);
  }

  /** Ends the watches whose clients have seen, or wait for, revisions of a history that is lost. */
  #failLost(gaps: RevisionGaps): void {
    for (const watcher of [...this.#watchers]) {
      const gap = gaps.around(watcher.revision);
      if (gap) watcher.fail(compactedError(watcher.revision, gap.began));
    }
  }

  /** Ends the watches that stand below a revision. */
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
