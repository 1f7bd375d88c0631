import type { Requester } from './requester.js';

/**
 * The storage contract: bytes and revisions. It knows keys, not resources; what the bytes mean is the registry's business.
 * Implemented by MemoryStore (unit tests), PostgresStore and CachedStore (a decorator over it); one suite tests all of them.
 *
 * Revisions are positive safe integers from one counter for the whole database. Revision order is commit order: a reader that
 * saw revision n never later sees a commit below n. Gaps are normal.
 */
export interface ObjectKey {
  /** `leases.coordination.k8s.io`, `namespaces`: the resource as upstream's error texts write it. */
  readonly resource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** What a writer hands over. */
export interface ObjectValue {
  readonly uid: string;
  /** The object as JSON in its storage version, without metadata.resourceVersion. At most 1.5 MiB. */
  readonly data: string;
  /** True while the object is being deleted; nothing may be created inside a terminating container (see `container`). */
  readonly terminating: boolean;
}

/** One state of an object. Immutable; the same instance is shared by all readers, so encodings may be memoised per instance. */
export interface StoredObject extends ObjectValue {
  readonly key: ObjectKey;
  /** Revision of the write that made this state. */
  readonly revision: number;
}

/** Objects in key order by the bytes of `namespace/name` (namespace empty: of `name`). */
export interface KeyRange {
  readonly resource: string;
  /** Only this namespace; absent: all of them (or the resource is cluster-scoped). */
  readonly namespace?: string;
  /** Only this one object (needs `namespace`, '' for cluster-scoped ones). */
  readonly name?: string;
}

/** How fresh a read must be. `revision` comes from clients, so it may exceed every real one. */
export type Consistency =
  | { readonly kind: 'latest' }
  | { readonly kind: 'any' }
  /** At least this new: waits up to 3 s, then StorageError TooLargeRevision. */
  | { readonly kind: 'notOlderThan'; readonly revision: bigint }
  /** Exactly this snapshot: StorageError Compacted when it is gone, TooLargeRevision when it is in the future. */
  | { readonly kind: 'exact'; readonly revision: bigint };

/** Selects objects of a list or watch. Must be pure, and must not throw. */
export type Predicate = (object: StoredObject) => boolean;

/** What to list, and how fresh it must be. */
export interface ListOptions {
  readonly consistency: Consistency;
  /** First key of the page, inclusive, relative to the range: `name` within a namespace, `namespace/name` across all (continue-token.ts). */
  readonly start?: string;
  /** Absent or 0: everything. Counts objects that match. */
  readonly limit?: number;
  readonly predicate?: Predicate;
}

/** A list, or one page of it, at one revision. */
export interface ListResult {
  readonly objects: readonly StoredObject[];
  /** The snapshot's revision: where a watch goes on. */
  readonly revision: number;
  /** Whether any key of the range, matching or not, lies behind the page. */
  readonly more: boolean;
  /** Keys of the range behind the page; given without a predicate only. */
  readonly remaining?: number;
}

/** Conditions of a creation. */
export interface CreateOptions {
  readonly requester?: Requester;
  /** The object that must exist and not be terminating at commit: the namespace of a namespaced object. */
  readonly container?: ObjectKey;
}

/** The types of changes, as watches name them. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change. For DELETED, `object` is the last state before it, with the deletion's revision. */
export interface StoreEvent {
  readonly type: EventType;
  readonly revision: number;
  readonly object: StoredObject;
  /** The state before: absent for ADDED. Needed by selectors, since leaving one is a deletion for its watcher. */
  readonly previous?: StoredObject;
}

/**
 * What a watcher is handed, in order:
 * - `event`: a change in its range, already translated for its predicate;
 * - `bookmark`: every event up to this revision has been handed over; `initialEventsEnd` marks the end of the first state;
 * - `error`: the last item; Compacted (history lost) or TooLargeRevision.
 */
export type WatchItem =
  | { readonly kind: 'event'; readonly event: StoreEvent }
  | { readonly kind: 'bookmark'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly kind: 'error'; readonly error: Error };

/** Where a watch begins, and what it includes. */
export interface WatchOptions {
  /** Events after this revision; may be in the future: then nothing comes until it is passed. Absent: from now on. */
  readonly after?: bigint;
  /** Start with an ADDED per object, in key order, of a state that meets this, then go on live. Excludes `after`. */
  readonly initialState?: Consistency;
  readonly predicate?: Predicate;
  /** Bookmarks about once a minute. The end of the initial state is always reported. */
  readonly bookmarks?: boolean;
}

/**
 * A running watch. `receive` is called with batches, each in order, never after `close`; `closed` resolves when no more will
 * come: after an error item, after `close()`, or when the store dropped a watcher whose backlog passed its byte budget.
 */
export interface Watch {
  /** Latest revision of which this watcher has been handed everything. */
  readonly revision: number;
  /**
   * Reports how many bytes of delivered items are still unsent; above the budget the store closes the watch. Call it when the number grows
   * and when it shrinks: while a watcher catches up, the store may wait until most of its backlog is sent.
   */
  reportBacklog(bytes: number): void;
  close(): void;
  readonly closed: Promise<void>;
}

/** Called with the items of a watch, in order. Must not throw. */
export type WatchReceiver = (items: readonly WatchItem[]) => void;

/** The store of objects. Methods reject with a StorageError; the codes stand with each method, and any may reject with Unavailable. */
export interface ObjectStore {
  /**
   * The object as this process knows it, without waiting, and possibly stale: good enough for a compare-and-set, which detects that.
   * Undefined means nothing: the object may exist.
   */
  suggest(key: ObjectKey): StoredObject | undefined;

  /** The object, or undefined with the revision at which it was absent. */
  get(key: ObjectKey, consistency: Consistency): Promise<{ object?: StoredObject; revision: number }>;

  list(range: KeyRange, options: ListOptions): Promise<ListResult>;

  /** StorageError Exists; ContainerMissing, ContainerTerminating; TooLarge, QuotaExceeded; Abandoned; Unavailable. */
  create(key: ObjectKey, value: ObjectValue, options?: CreateOptions): Promise<StoredObject>;

  /**
   * Replaces `current`, a state read before (from the cache: a suggestion), if it is still the newest one.
   * StorageError Conflict or NotFound when it is not; the caller reads again with `latest` and decides. Abandoned as `create`.
   */
  update(current: StoredObject, value: ObjectValue, requester?: Requester): Promise<StoredObject>;

  /** Removes `current` if it is still the newest state; answers the deletion's revision. Errors as `update`. */
  delete(current: StoredObject, requester?: Requester): Promise<number>;

  /** Starts a watch; errors that concern history arrive as an error item, not as a rejection. */
  watch(range: KeyRange, options: WatchOptions, receive: WatchReceiver): Promise<Watch>;

  /** The newest committed revision. */
  currentRevision(): Promise<number>;
}

/** Injection token of the store that the server uses. */
export const OBJECT_STORE = Symbol('ObjectStore');
