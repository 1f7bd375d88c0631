import type { ObjectKey, StoredObject, StoreEvent } from './object-store.js';
import type { RevisionGaps } from './revision-gaps.js';

/** Every change with `after < revision <= revision`, in order; `revision` may lie beyond the last event (gaps, refused writes). */
export interface Changes {
  readonly after: number;
  readonly revision: number;
  readonly events: readonly StoreEvent[];
  /** There were more at the time of the answer: read on after `revision`. */
  readonly more?: boolean;
  /** All gaps of the history, where there may be one that a reader at `after` does not know. */
  readonly gaps?: RevisionGaps;
}

/** What a cache starts from: all objects at one revision, and the changes that led there, as far back as the log still has. */
export interface Snapshot {
  readonly revision: number;
  readonly objects: readonly StoredObject[];
  /** `history.after` is the oldest revision from which a watch can be served; `history.revision` equals `revision`. */
  readonly history: Changes;
  /** Of the history up to here. Absent: there are none. */
  readonly gaps?: RevisionGaps;
}

/** The states that a follower has at the revision from which it reads on. */
export type KnownStates = (key: ObjectKey) => StoredObject | undefined;

/**
 * The committed changes of a database, in order: what a watch cache follows. PostgresStore implements it beside ObjectStore.
 *
 * Wake-ups are hints: losing every one of them only costs latency, since a follower also polls. `readChanges` is one statement
 * in one snapshot (counter, compacted revision, rows), so it is feed and read barrier in one.
 */
export interface ChangeSource {
  /** All objects and `historyMs` milliseconds of changes, more or less, in one consistent snapshot. */
  loadSnapshot(historyMs: number): Promise<Snapshot>;

  /**
   * The first changes after this revision, one page of them, or 'compacted' when the log no longer reaches back that far, or the revision
   * belongs to a history that is lost: then load a snapshot again. With `known` a follower spares the source the search for previous
   * states, and shares those that it has.
   */
  readChanges(after: number, known?: KnownStates): Promise<Changes | 'compacted'>;

  /** Calls back when there may be changes to read, but not for what `onCommitted` tells. The returned function ends it. */
  onWake(wake: () => void): () => void;

  /**
   * Calls back, synchronously and in order, with each batch that this process itself committed, before its writers are answered.
   * A follower that stands exactly at `after` may apply it without reading it back; any other ignores it. The returned function ends it.
   */
  onCommitted(apply: (changes: Changes) => void): () => void;
}
