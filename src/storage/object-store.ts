import type { Requester } from './requester.js';

/**
 * The storage contract: bytes and revisions. It knows keys, not resources; what the bytes mean is the registry's business.
 * Implemented by MemoryStore (unit tests), PostgresStore and CachedStore (a decorator over it); one suite tests all of them.
 *
 * Revisions are positive safe integers from one counter for the whole database. Revision order is commit order: a reader that
 * saw revision n never later sees a commit below n. Gaps are normal.
 */
export interface ObjectKey {
  /** `leases.coordination.k8s.io`, `namespaces`: the resource as in upstream's error texts. */
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** The content that a writer passes. */
export interface ObjectValue {
  readonly uid: string;
  /** The object as JSON in its storage version, without metadata.resourceVersion. At most 1.5 MiB. */
  readonly data: string;
  /** True while the object is being deleted; nothing may be created inside a terminating container (see `container`). */
  readonly terminating: boolean;
}

/** One state of an object. Immutable, and shared by all readers, so encodings may be memoised per instance. */
export interface StoredObject extends ObjectValue {
  readonly key: ObjectKey;
  /** Revision of the write that created this state. */
  readonly revision: number;
}

/** Objects in key order by the bytes of `namespace/name` (namespace empty: of `name`). */
export interface KeyRange {
  readonly resource: string;
  /** Restricts the range to a namespace; absent for all namespaces, or for a cluster-scoped resource. */
  readonly namespace?: string;
  /** Restricts the range to one object; requires `namespace`, which is '' for cluster-scoped objects. */
  readonly name?: string;
}

/** How fresh a read must be. `revision` comes from clients, so it may exceed every real one. */
export type Consistency =
  | { readonly kind: 'latest' }
  | { readonly kind: 'any' }
  /** At least this new: waits up to 3 s, then StorageError TooLargeRevision. */
  | { readonly kind: 'notOlderThan'; readonly revision: bigint }
  /** Exactly this snapshot: StorageError Compacted if it is gone, TooLargeRevision if it is in the future. */
  | { readonly kind: 'exact'; readonly revision: bigint };

/** Selects objects of a list or watch. Must be pure and must not throw. */
export type Predicate = (object: StoredObject) => boolean;

/** What to list, and how fresh it must be. */
export interface ListOptions {
  readonly consistency: Consistency;
  /**
   * First key of the page, inclusive and relative to the range: `name` within a namespace, `namespace/name` across all (continue-token.ts).
   */
  readonly start?: string;
  /** Largest number of matching objects; absent or 0: no limit. */
  readonly limit?: number;
  readonly predicate?: Predicate;
  /**
   * Values that the predicate requires of fields, by the fields' names in selectors. A store may use them to look at fewer objects, and list
   * those in an order of its own, pages included.
   */
  readonly equal?: Readonly<Record<string, string>>;
  /** In the order of keys, whatever is required. */
  readonly inKeyOrder?: boolean;
}

/** A list, or one page of it, at one revision. */
export interface ListResult {
  readonly objects: readonly StoredObject[];
  /** Revision of the snapshot, from which a watch can continue. */
  readonly revision: number;
  /** Whether any key of the range, matching or not, follows the page. */
  readonly more: boolean;
  /** The last key that was looked at, where a page ends before it has as many objects as it may. */
  readonly last?: ObjectKey;
  /** Number of keys of the range after the page; only without a predicate. */
  readonly remaining?: number;
}

/**
 * What a write leads to beside the new state, recorded in its commit: its resource's strategy says so, and what a store has for it understands it
 * (TermChange). Other stores ignore it.
 */
export type Sequel = object;

/** What a write comes with. */
export interface WriteOptions {
  readonly requester?: Requester | undefined;
  readonly sequel?: Sequel | undefined;
  /** How long its commit may be put off, so that other writes share it, in milliseconds. Absent: it is urgent. */
  readonly mayWaitMs?: number | undefined;
}

/** What a creation comes with. */
export interface CreateOptions extends WriteOptions {
  /** The object that must exist and not be terminating when the write commits: the namespace of a namespaced object. */
  readonly container?: ObjectKey | undefined;
}

/** Types of changes, as named in watch events. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change. For DELETED, `object` is the last state before it, with the deletion's revision. */
export interface StoreEvent {
  readonly type: EventType;
  readonly revision: number;
  readonly object: StoredObject;
  /** The state before; absent for ADDED. Needed by selectors: an object that stops matching is a deletion for the watcher. */
  readonly previous?: StoredObject;
}

/**
 * What a watcher receives, in order:
 * - `event`: a change in its range, already translated for its predicate;
 * - `bookmark`: every event up to this revision has been delivered; `initialEventsEnd` marks the end of the initial state;
 * - `error`: the last item; Compacted (history lost) or TooLargeRevision; within an initial state, what else a list may fail with.
 */
export type WatchItem =
  | { readonly kind: 'event'; readonly event: StoreEvent }
  | { readonly kind: 'bookmark'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly kind: 'error'; readonly error: Error };

/** Where a watch starts, and what it includes. */
export interface WatchOptions {
  /** Deliver events after this revision. If it is in the future, nothing is delivered until it has passed. Absent: start now. */
  readonly after?: bigint;
  /** Start with an ADDED event per object, in key order, of a state that meets this consistency, then continue live. Excludes `after`. */
  readonly initialState?: Consistency;
  readonly predicate?: Predicate;
  /** As in ListOptions, for the initial state. */
  readonly equal?: Readonly<Record<string, string>>;
  /** Send bookmarks about once a minute. The end of the initial state is always reported. */
  readonly bookmarks?: boolean;
}

/**
 * A running watch. `receive` is called with batches in order, and never after `close`. `closed` resolves once no more items will come:
 * after an error item, after `close()`, or when the store dropped a watcher whose backlog exceeded its byte budget.
 */
export interface Watch {
  /** The latest revision up to which this watcher has received everything. */
  readonly revision: number;
  /**
   * Reports how many bytes of delivered items are still unsent; above the budget, the store closes the watch. Call it when the number grows
   * and when it shrinks: while a watcher catches up, the store may wait until most of its backlog has been sent.
   */
  reportBacklog(bytes: number): void;
  close(): void;
  readonly closed: Promise<void>;
  /** Whether the store has closed it because too much of it was unsent. */
  readonly tooSlow?: boolean;
}

/** Called with the items of a watch in order. Must not throw. */
export type WatchReceiver = (items: readonly WatchItem[]) => void;

/** The store of objects. Methods reject with a StorageError; each method lists its codes, and any may reject with Unavailable. */
export interface ObjectStore {
  /**
   * The object as known to this process, without waiting and possibly stale; good enough for a compare-and-set, which detects staleness.
   * Undefined does not mean that the object is absent.
   */
  suggest(key: ObjectKey): StoredObject | undefined;

  /** The object, or undefined with the revision at which it was absent. */
  get(key: ObjectKey, consistency: Consistency): Promise<{ object?: StoredObject; revision: number }>;

  list(range: KeyRange, options: ListOptions): Promise<ListResult>;

  /** Creates an object. StorageError Exists; ContainerMissing, ContainerTerminating; TooLarge, QuotaExceeded; Abandoned; Unavailable. */
  create(key: ObjectKey, value: ObjectValue, options?: CreateOptions): Promise<StoredObject>;

  /**
   * Replaces `current`, a state read before (possibly from `suggest`), if it is still the newest one. Otherwise StorageError Conflict or
   * NotFound; the caller reads again with `latest` and decides. Abandoned, TooLarge and QuotaExceeded as for `create`.
   */
  update(current: StoredObject, value: ObjectValue, options?: WriteOptions): Promise<StoredObject>;

  /** Removes `current` if it is still the newest state. Returns the revision of the deletion. Errors as for `update`. */
  delete(current: StoredObject, options?: WriteOptions): Promise<number>;

  /** Starts a watch. Errors that concern history arrive as an error item, not as a rejection. */
  watch(range: KeyRange, options: WatchOptions, receive: WatchReceiver): Promise<Watch>;

  /** The newest committed revision. */
  currentRevision(): Promise<number>;

  /**
   * For how many milliseconds, by its own steady clock, this process has known that a revision of the present history is committed; 0 if it does
   * not know. Never more than the time since the commit, whatever any wall clock says.
   */
  ageOf(revision: number): number;
}

/** A store whose changes are followed by a cache, which serves the watches. */
export type UnwatchedStore = Omit<ObjectStore, 'watch'>;

/** Injection token of the server's store. */
export const OBJECT_STORE = Symbol('ObjectStore');
