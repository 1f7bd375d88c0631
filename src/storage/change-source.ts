import type { ObjectKey, Predicate, StoreEvent, StoredObject } from './object-store.js';
import type { RevisionGaps } from './revisions.js';

/**
 * All changes with `after < revision <= revision`, in order. `revision` may lie beyond the last event, because of gaps and refused writes.
 */
export interface Changes {
  readonly after: number;
  readonly revision: number;
  readonly events: readonly StoreEvent[];
  /** Set if the log has further changes: read again after `revision`. */
  readonly more?: boolean;
  /** All gaps of the history, if one of them may be unknown to a reader at `after`. */
  readonly gaps?: RevisionGaps;
}

/**
 * The initial content of a cache: all objects at one revision, and the preceding changes as far back as the log retains them. Each state is one
 * instance, wherever it occurs.
 */
export interface Snapshot {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  /** `history.after` is the oldest revision from which a watch can be served; `history.revision` equals `revision`. */
  readonly history: Changes;
  /** Gaps of the history up to this revision; absent if there are none. */
  readonly gaps?: RevisionGaps;
}

/** Looks up the state that a follower has of an object at the revision from which it reads on. */
export type KnownStates = (key: ObjectKey) => StoredObject | undefined;

/**
 * The committed changes of a database, in order, for a watch cache to follow. PostgresStore implements it beside ObjectStore.
 *
 * Wake-ups are hints: losing all of them only costs latency, since a follower also polls. `readChanges` is one statement in one snapshot
 * (counter, compacted revision, rows), so it serves as feed and read barrier at once.
 */
export interface ChangeSource {
  /** The resource of which no snapshot has objects: a cache has at most their changes, and reads go to the store. */
  readonly uncached?: string | undefined;

  /** All objects and roughly the last `historyMs` milliseconds of changes, in one consistent snapshot. */
  loadSnapshot(historyMs: number): Promise<Snapshot>;

  /**
   * One page of changes after this revision, or 'compacted' if the log does not reach back that far or the revision belongs to a lost
   * history; the caller must then load a snapshot. `known` saves the source the search for previous states, and lets it reuse the
   * follower's instances.
   */
  readChanges(after: number, known?: KnownStates): Promise<Changes | 'compacted'>;

  /** Calls back when there may be changes to read, except for those reported to `onCommitted`. The returned function unsubscribes. */
  onWake(wake: () => void): () => void;

  /**
   * Calls back, synchronously and in order, with each batch that this process committed, before its writers get their results. A follower
   * at exactly `after` may apply it without reading it back; others ignore it. The returned function unsubscribes.
   */
  onCommitted(apply: (changes: Changes) => void): () => void;
}

/**
 * A change as seen by a watcher with this predicate: an object that begins to match is ADDED, one that stops is DELETED with the content
 * that last matched and the revision of this change. Undefined if it matches neither before nor after.
 */
export function translateEvent(event: StoreEvent, predicate: Predicate | undefined): StoreEvent | undefined {
  if (!predicate) return event;
  const before = event.previous !== undefined && predicate(event.previous);
  const after = event.type !== 'DELETED' && predicate(event.object);
  if (after) return before || event.type === 'ADDED' ? event : entering(event);
  if (!before) return undefined;
  return event.type === 'DELETED' ? event : leaving(event);
}

function entering(event: StoreEvent): StoreEvent {
  return { type: 'ADDED', revision: event.revision, object: event.object };
}

/** One translation for all watchers whose selection the object leaves, so that it is encoded once. */
const departures = new WeakMap<StoreEvent, StoreEvent>();

function leaving(event: StoreEvent): StoreEvent {
  let departure = departures.get(event);
  if (!departure) {
    const previous = event.previous ?? event.object;
    departure = { type: 'DELETED', revision: event.revision, object: withRevision(previous, event.revision), previous };
    departures.set(event, departure);
  }
  return departure;
}

/** The same content under another revision. */
export function withRevision(object: StoredObject, revision: number): StoredObject {
  return { key: object.key, uid: object.uid, data: object.data, terminating: object.terminating, revision };
}
