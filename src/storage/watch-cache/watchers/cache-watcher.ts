import type { Scheduler } from '../../../time/scheduler.js';
import { translateEvent } from '../../change-source.js';
import { comparePaths, inRange, objectPath } from '../../object-path.js';
import type { KeyRange, ObjectKey, StoreEvent, StoredObject, Watch, WatchItem, WatchOptions, WatchReceiver } from '../../object-store.js';
import { WATCH_BACKLOG_BYTES, compactedError } from '../../storage-errors.js';
import { timeSlicer } from '../../time-slicer.js';
import type { WatchCache } from '../state/watch-cache.js';
import type { BacklogBudget, Dispatcher, EventSink } from './dispatcher.js';

/** The initial state of a watch, or a part of it, in the order of paths. */
export interface InitialPage {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  /** The path of the last object that was looked at, if it is not the last page. */
  readonly through?: string;
  /** Reads the page after it, which is as new or newer, and resolves once the cache has reached its revision. Absent for the last page. */
  readonly next?: () => Promise<InitialPage>;
}

/**
 * Why a watch ended: closed by its client, after an error item, over its backlog limit, because its receiver threw, or because the store
 * closed.
 */
export type WatchEnd = 'client' | 'error' | 'slow' | 'receiver' | 'shutdown';

/** Receives events of watches, for metrics and logs. Callbacks must not throw. */
export interface WatcherObserver {
  watchStarted?(): void;
  watchEnded?(reason: WatchEnd): void;
  /** A watch's receiver threw; its watch is closed. */
  receiverFailed?(error: unknown): void;
}

/** The parameters of a watch. */
export interface WatchRequest {
  readonly range: KeyRange;
  readonly options: WatchOptions;
  readonly receive: WatchReceiver;
}

/** What the watchers of one store share. */
export interface WatcherHost {
  readonly cache: WatchCache;
  readonly dispatcher: Dispatcher;
  readonly scheduler: Scheduler;
  readonly observer: WatcherObserver;
  readonly budget: BacklogBudget;
  /** Called when the watcher is closed. */
  ended(watcher: CacheWatcher): void;
}

/** Limits on one portion of what a watcher catches up on: its items, and approximately its bytes. */
const CHUNK_ITEMS = 250;
const CHUNK_BYTES = 128 * 1024;
/** A watcher that is behind gets no more items while this much is unsent, for at most this long. */
const PAUSE_BYTES = 512 * 1024;
const STALL_MS = 30_000;

/**
 * One watch. It starts behind: it delivers the initial state, and then the changes after its position from the cache's history, in portions
 * and only as fast as they are sent. Once it has reached the cache it goes live: the dispatcher passes it events as they arrive. A live
 * watcher is closed when its backlog exceeds the byte budget; one that is behind is closed when it makes no progress.
 *
 * An initial state in pages is delivered page by page: before each, the changes up to its revision of the paths that earlier pages covered.
 *
 * Invariant: every item up to `#position` has been delivered, in order, of the paths covered so far; events at or below it are never
 * delivered again.
 */
export class CacheWatcher implements Watch, EventSink {
  readonly closed: Promise<void>;
  tooSlow = false;
  readonly range: KeyRange;
  readonly #request: WatchRequest;
  readonly #host: WatcherHost;
  readonly #stopBookmarks: (() => void) | undefined;
  #position: number;
  /** The page that is being delivered, or comes next. */
  #initial: InitialPage | undefined;
  #nextInitial = 0;
  /** Pages so far ended with this path; undefined once all of the range is covered. */
  #covered: string | undefined;
  #isReading = false;
  #state: 'behind' | 'live' | 'closed' = 'behind';
  #pending: WatchItem[] = [];
  #backlog = 0;
  #cancelStall: (() => void) | undefined;
  #resolveClosed!: () => void;

  /**
   * `position`: deliver events after this revision, which may be in the future. `initial`: the state at it, or its first page, if that is
   * to be delivered too.
   */
  constructor(request: WatchRequest, host: WatcherHost, position: number, initial?: InitialPage) {
    this.range = request.range;
    this.#request = request;
    this.#host = host;
    this.#position = position;
    this.#initial = initial;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
    if (request.options.bookmarks) this.#stopBookmarks = bookmarkTimer(host.scheduler, () => this.#bookmark());
  }

  get revision(): number {
    return this.#state === 'live' ? Math.max(this.#position, this.#host.dispatcher.revision) : this.#position;
  }

  /** Bytes that have been delivered but not sent. */
  get unsent(): number {
    return this.#backlog;
  }

  /** The fraction of the byte budget that its backlog uses. */
  get budgetUsed(): number {
    return this.#backlog / WATCH_BACKLOG_BYTES;
  }

  /** Starts in a later turn of the event loop, so that nothing is delivered before `watch()` has resolved. */
  start(error?: Error): void {
    timeSlicer.run(() => (error ? this.fail(error) : this.#catchUp()));
  }

  offer(event: StoreEvent): void {
    if (this.#state !== 'live' || event.revision <= this.#position) return;
    const translated = this.#guard(() => translateEvent(event, this.#request.options.predicate));
    if (translated) this.#pending.push({ kind: 'event', event: translated });
  }

  flush(): void {
    const items = this.#pending;
    if (items.length === 0) return;
    this.#pending = [];
    this.#hand(items);
  }

  fail(error: Error): void {
    this.#hand([{ kind: 'error', error }]);
    this.end('error');
  }

  reportBacklog(bytes: number): void {
    if (this.#state === 'closed') return;
    const change = bytes - this.#backlog;
    this.#backlog = bytes;
    this.#host.budget.change(change);
    if (bytes > WATCH_BACKLOG_BYTES) this.end('slow');
    else if (this.#cancelStall && !this.#mustPause()) this.#resume();
  }

  close(): void {
    this.end('client');
  }

  end(reason: WatchEnd): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'live') this.#host.dispatcher.remove(this);
    this.#state = 'closed';
    this.tooSlow = reason === 'slow';
    this.#host.budget.change(-this.#backlog);
    this.#initial = undefined;
    this.#pending = [];
    this.#stopBookmarks?.();
    this.#cancelStall?.();
    this.#host.ended(this);
    this.#host.observer.watchEnded?.(reason);
    this.#resolveClosed();
  }

  /** Delivers the next portion; goes live with the last one. */
  #catchUp(): void {
    if (this.#state !== 'behind') return;
    this.#guard(() => this.#handPortion());
    if (this.#state === 'behind' && !this.#isReading) this.#continue();
  }

  #continue(): void {
    if (this.#mustPause()) this.#pause();
    else timeSlicer.run(() => this.#catchUp());
  }

  #handPortion(): void {
    const page = this.#initial;
    if (page && page.revision <= this.#position) this.#handInitial(page);
    else this.#handHistory(page);
  }

  #handInitial({ objects, next, through }: InitialPage): void {
    const { predicate } = this.#request.options;
    const items: WatchItem[] = [];
    for (let bytes = 0; items.length < CHUNK_ITEMS && bytes < CHUNK_BYTES; this.#nextInitial++) {
      const object = objects[this.#nextInitial];
      if (!object) break;
      if (predicate && !predicate(object)) continue;
      items.push({ kind: 'event', event: { type: 'ADDED', revision: object.revision, object } });
      bytes += object.data.length;
    }
    if (this.#nextInitial < objects.length) return this.#hand(items);
    this.#initial = undefined;
    this.#covered = through;
    if (!next) items.push({ kind: 'bookmark', revision: this.#position, initialEventsEnd: true });
    this.#hand(items);
    if (next) void this.#readPage(next);
  }

  /** Reads ahead by one page, which a watcher may have in memory besides its backlog. */
  async #readPage(next: () => Promise<InitialPage>): Promise<void> {
    this.#isReading = true;
    try {
      const page = await next();
      if (this.#state !== 'behind') return;
      this.#isReading = false;
      this.#initial = page;
      this.#nextInitial = 0;
      this.#continue();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** Changes of what is covered: up to the revision of the next page or, without one, all there are. */
  #handHistory(page: InitialPage | undefined): void {
    const { cache, dispatcher } = this.#host;
    if (this.#position < cache.history.oldest) return this.fail(compactedError(this.#position, cache.history.oldest));
    const gap = cache.gaps.around(this.#position);
    if (gap) return this.fail(compactedError(this.#position, gap.began));
    const items: WatchItem[] = [];
    let bytes = 0;
    const end = page ? page.revision : Math.max(this.#position, cache.revision);
    let reached = end;
    cache.history.scan(this.#position, (event) => {
      if (event.revision > end) return false;
      if (!this.#covers(event.object.key)) return true;
      const translated = translateEvent(event, this.#request.options.predicate);
      if (!translated) return true;
      items.push({ kind: 'event', event: translated });
      bytes += translated.object.data.length;
      if (items.length < CHUNK_ITEMS && bytes < CHUNK_BYTES) return true;
      reached = event.revision;
      return false;
    });
    this.#position = reached;
    if (!page && reached >= cache.revision) {
      this.#state = 'live';
      dispatcher.add(this);
    }
    this.#hand(items);
  }

  #covers(key: ObjectKey): boolean {
    return inRange(this.range, key) && (this.#covered === undefined || comparePaths(objectPath(key), this.#covered) <= 0);
  }

  #hand(items: WatchItem[]): void {
    if (this.#state === 'closed' || items.length === 0) return;
    this.#guard(() => this.#request.receive(items));
  }

  /** Receivers and predicates belong to callers: one that throws ends only its own watch. */
  #guard<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#host.observer.receiverFailed?.(error);
      this.end('receiver');
      return undefined;
    }
  }

  #mustPause(): boolean {
    return this.#backlog > (this.#host.budget.tight ? 0 : PAUSE_BYTES);
  }

  #pause(): void {
    this.#cancelStall = this.#host.scheduler.after(STALL_MS, () => this.end('slow'));
  }

  #resume(): void {
    this.#cancelStall?.();
    this.#cancelStall = undefined;
    timeSlicer.run(() => this.#catchUp());
  }

  #bookmark(): void {
    const { revision } = this;
    if (this.#state === 'live' && revision <= this.#host.cache.revision) {
      this.#hand([{ kind: 'bookmark', revision, initialEventsEnd: false }]);
    }
  }
}

const PERIOD_MS = 60_000;

/**
 * Calls back about once a minute, with jitter, so that the bookmarks of many watchers are spread out, until the returned function is called.
 */
function bookmarkTimer(scheduler: Scheduler, due: () => void): () => void {
  let cancel: () => void;
  const wait = () => {
    cancel = scheduler.after(PERIOD_MS * (0.875 + Math.random() / 4), () => {
      wait();
      due();
    });
  };
  wait();
  return () => cancel();
}
