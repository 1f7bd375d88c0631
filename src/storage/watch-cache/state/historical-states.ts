import type { Scheduler } from '../../../time/scheduler.js';
import type { EventHistory } from './event-history.js';
import { HistoricalState } from './historical-state.js';
import type { ResourceState } from './resource-state.js';

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
