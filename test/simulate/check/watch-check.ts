import { inRange, objectPath } from '../../../src/storage/object-path.js';
import type { KeyRange, StoredObject, StoreEvent, WatchItem } from '../../../src/storage/object-store.js';
import { isStorageError } from '../../../src/storage/storage-errors.js';
import { Finding } from '../world/world.js';
import type { Freshness } from './freshness.js';
import { type Entry, type History, type ObjectState, entriesBetween, holds } from './history.js';
import { stateText, textOf } from './read-check.js';

export type DataPredicate = (state: { readonly data: string; readonly terminating: boolean }) => boolean;

/** Checks what a watching client sees, on whichever servers it watches in turn. It only knows its last revision. */
export class WatchCheck {
  /** The revision from which it continues; undefined: it lists first. */
  position: number | undefined;
  readonly #history: History;
  readonly #freshness: Freshness;
  readonly #range: KeyRange;
  readonly #predicate: DataPredicate | undefined;
  /** The initial state while it is being received. */
  #initial: StoreEvent[] | undefined;

  constructor(history: History, freshness: Freshness, range: KeyRange, predicate?: DataPredicate) {
    this.#history = history;
    this.#freshness = freshness;
    this.#range = range;
    this.#predicate = predicate;
  }

  /** A watch begins, with the initial state or at the position. */
  begins(withState: boolean): void {
    this.#initial = withState ? [] : undefined;
    if (withState) this.position = undefined;
  }

  /** `oldest` returns the first revision from which the server can serve a watch. */
  receive(item: WatchItem, oldest: () => number): void {
    if (item.kind === 'error') return this.#ended(item.error, oldest());
    if (item.kind === 'bookmark') return item.initialEventsEnd ? this.#synced(item.revision) : this.#moved(item.revision, undefined);
    if (this.#initial) this.#initial.push(item.event);
    else this.#moved(item.event.revision, item.event);
  }

  /** Called when nothing more has arrived: whether every change up to this revision was seen. */
  isComplete(revision: number): boolean {
    const commit = this.#history.commitOf(revision);
    if (this.position === undefined || !commit) return false;
    return this.#eventsBetween(this.position, revision).length === 0;
  }

  #synced(revision: number): void {
    const states = this.#history.statesAt(revision);
    if (!states) throw new Finding(`a watch begins at ${revision}, which was never given out`);
    this.#history.told(revision);
    const expected = [...states.values()].filter((state) => this.#selects(state)).sort((a, b) => (a.path < b.path ? -1 : 1));
    const found = stateAfter(this.#initial ?? []).map((object) => textOf(object));
    if (found.join() !== expected.map(stateText).join()) {
      throw new Finding(`a watch begins at ${revision} with ${found.join(' ')}; there was ${expected.map(stateText).join(' ')}`);
    }
    this.#initial = undefined;
    this.position = revision;
  }

  #moved(revision: number, event: StoreEvent | undefined): void {
    const { position } = this;
    if (position === undefined) throw new Finding('a watch moves on before it has told of its first state');
    if (revision < position || (event && revision === position)) throw new Finding(`a watch at ${position} is told of ${revision}`);
    const commit = this.#history.commitOf(revision);
    if (!commit) throw new Finding(`a watch is told of revision ${revision}, which was never given out`);
    this.#history.told(revision);
    if (!holds(commit, position)) throw new Finding(`a watch at ${position}, which was lost, goes on with ${revision}`);
    const expected = this.#eventsBetween(position, revision);
    const told = event ? [eventText(event)] : [];
    if (expected.join() !== told.join()) {
      throw new Finding(
        `a watch at ${position} is told of ${told.join(' ') || `a bookmark at ${revision}`}; it was ${expected.join('; ')}`,
      );
    }
    this.position = revision;
  }

  #eventsBetween(after: number, upTo: number): string[] {
    const commit = this.#history.commitOf(upTo);
    if (!commit) return [];
    return entriesBetween(commit, after, upTo).flatMap((entry) => this.#expected(entry) ?? []);
  }

  /** The rules of change-source.ts, written independently. */
  #expected({ kind, revision, object, previous }: Entry): string | undefined {
    if (!isOf(this.#range, object)) return undefined;
    const was = previous !== undefined && this.#matches(previous);
    const is = kind !== 'D' && this.#matches(object);
    if (is) return `${was ? 'MODIFIED' : 'ADDED'} ${stateText(object)}`;
    return was && previous ? `DELETED ${stateText({ ...previous, revision })}` : undefined;
  }

  #selects(state: ObjectState): boolean {
    return isOf(this.#range, state) && this.#matches(state);
  }

  #matches(state: ObjectState): boolean {
    return this.#predicate?.(state) ?? true;
  }

  #ended(error: Error, oldest: number): void {
    // a page of the initial state could not be read
    if (this.#initial && isStorageError(error, 'Unavailable')) return;
    const { position } = this;
    this.position = undefined;
    this.#initial = undefined;
    if (!isStorageError(error, 'Compacted') && !isStorageError(error, 'TooLargeRevision')) throw error;
    if (position === undefined || this.#freshness.lostSince(-Infinity)) return;
    if (position >= oldest && !this.#freshness.isForgotten(position)) {
      throw new Finding(`a watch at ${position} is ended with 410, and nothing was lost: ${error.message}`);
    }
  }
}

function isOf(range: KeyRange, { resource, path }: ObjectState): boolean {
  const slash = path.indexOf('/');
  return inRange(range, { resource, namespace: slash < 0 ? '' : path.slice(0, slash), name: path.slice(slash + 1) });
}

function eventText({ type, object }: StoreEvent): string {
  return `${type} ${textOf({ ...object, key: object.key })}`;
}

/** A range as text for messages. */
export function rangeText({ resource, namespace, name }: KeyRange): string {
  return objectPath({ resource, namespace: namespace ?? '*', name: name ?? '*' });
}

/** The initial state, with the changes that arrive between its pages, in the order of paths. */
function stateAfter(events: readonly StoreEvent[]): StoredObject[] {
  const state = new Map<string, StoredObject>();
  for (const { type, object } of events) {
    const path = objectPath(object.key);
    const before = state.get(path);
    if ((type === 'ADDED') === (before !== undefined)) {
      throw new Finding(`a watch begins with ${type} ${path}, of which it has ${before?.revision}`);
    }
    if (type === 'DELETED') state.delete(path);
    else state.set(path, object);
  }
  return [...state].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, object]) => object);
}
