import type { Scheduler } from '../../../time/scheduler.js';
import { type PathBounds, comparePaths, objectPath } from '../../object-path.js';
import type { StoreEvent, StoredObject } from '../../object-store.js';
import type { EventHistory } from './event-history.js';
import type { ResourceState, StateView } from './resource-state.js';

const MAX_STATES = 8;
/** Longer than a client takes from one page to the next. */
const IDLE_MS = 30_000;

interface Entry {
  readonly state: HistoricalState;
  /** Revision of the last event that was undone. */
  upTo: number;
  usedAt: number;
}

/** The earlier revisions that clients are currently paging through. Each is brought up to date with the events since its last use. */
export class HistoricalStates {
  readonly #history: EventHistory;
  readonly #scheduler: Scheduler;
  readonly #entries = new Map<string, Entry>();

  constructor(history: EventHistory, scheduler: Scheduler) {
    this.#history = history;
    this.#scheduler = scheduler;
  }

  /** The history must reach back to the revision. */
  at(resource: string, current: ResourceState, revision: number): HistoricalState {
    this.#dropIdle();
    const id = `${revision} ${resource}`;
    const entry = this.#entries.get(id) ?? { state: new HistoricalState(current), upTo: revision, usedAt: 0 };
    this.#history.scan(entry.upTo, (event) => {
      if (event.object.key.resource === resource) entry.state.undo(event);
      entry.upTo = event.revision;
      return true;
    });
    entry.usedAt = this.#scheduler.now();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.state;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Entries are ordered by their last use. */
  #dropIdle(): void {
    for (const [id, entry] of this.#entries) {
      if (this.#entries.size < MAX_STATES && this.#scheduler.now() - entry.usedAt < IDLE_MS) return;
      this.#entries.delete(id);
    }
  }
}

/**
 * A resource as it was at an earlier revision: the current state, and the states of its objects before their first change after that
 * revision. Each change is passed once and in order (`undo`), so all pages of a list share the work.
 */
class HistoricalState implements StateView {
  readonly #current: ResourceState;
  /** By path: the state at the revision; undefined if there was none. */
  readonly #before = new Map<string, StoredObject | undefined>();
  /** Paths that did not exist then, and paths that have been deleted since. The set of paths differs in nothing else. */
  readonly #created = new Set<string>();
  readonly #deleted = new Set<string>();

  constructor(current: ResourceState) {
    this.#current = current;
  }

  /** Applies the next change of this resource after the revision, which the current state already contains. */
  undo(event: StoreEvent): void {
    const path = objectPath(event.object.key);
    if (event.type === 'DELETED') this.#deleted.add(path);
    if (this.#before.has(path)) return;
    this.#before.set(path, event.previous);
    if (!event.previous) this.#created.add(path);
  }

  get(path: string): StoredObject | undefined {
    return this.#before.has(path) ? this.#before.get(path) : this.#current.get(path);
  }

  scan(bounds: PathBounds, visit: (object: StoredObject, path: string) => boolean): void {
    const restored = this.#restored(bounds).sort(comparePaths);
    let next = 0;
    let more = true;
    const visitRestored = (below?: string) => {
      for (; more && next < restored.length; next++) {
        const path = restored[next] as string;
        if (below !== undefined && comparePaths(path, below) > 0) return;
        more = visit(this.#before.get(path) as StoredObject, path);
      }
    };
    this.#current.scan(bounds, (object, path) => {
      visitRestored(path);
      const then = this.#before.has(path) ? this.#before.get(path) : object;
      if (more && then) more = visit(then, path);
      return more;
    });
    visitRestored();
  }

  count(bounds: PathBounds): number {
    const hidden = [...this.#created].filter((path) => within(bounds, path) && this.#current.get(path));
    return this.#current.count(bounds) - hidden.length + this.#restored(bounds).length;
  }

  /** Paths that existed then and do not now. */
  #restored(bounds: PathBounds): string[] {
    return [...this.#deleted].filter((path) => within(bounds, path) && this.#before.get(path) && !this.#current.get(path));
  }
}

function within({ from, to }: PathBounds, path: string): boolean {
  return comparePaths(path, from) >= 0 && (to === undefined || comparePaths(path, to) < 0);
}
