import { type Changes, type Snapshot, withRevision } from '../../change-source.js';
import { objectPath } from '../../object-path.js';
import { RevisionGaps, RevisionTimes } from '../../revisions.js';
import type { StoredObject, StoreEvent } from '../../object-store.js';
import type { Scheduler } from '../../../time/scheduler.js';
import { type HistoryLimits, EventHistory } from './event-history.js';
import { HistoricalStates } from './historical-states.js';
import { type StateView, ResourceState } from './resource-state.js';
import { UsageStatistics } from './usage.js';

/** How much history a cache keeps, and of which resource it keeps no state and, if that is unwatched, no changes. */
export interface WatchCacheOptions extends HistoryLimits {
  readonly uncached?: string | undefined;
  readonly unwatched?: boolean | undefined;
}

/**
 * All current objects and the latest changes, at one revision. It changes in single synchronous steps (`load`, `apply`), so everything read
 * within one turn of the event loop has one revision.
 */
export class WatchCache {
  readonly history: EventHistory;
  readonly #times = new RevisionTimes();
  readonly #scheduler: Scheduler;
  readonly #historicalStates: HistoricalStates;
  readonly #uncached: string | undefined;
  readonly #unwatched: boolean;
  #resources = new Map<string, ResourceState>();
  #usage = new UsageStatistics();
  #revision = 0;
  #gaps = RevisionGaps.none;

  constructor({ uncached, unwatched = false, ...limits }: WatchCacheOptions, scheduler: Scheduler) {
    this.history = new EventHistory(limits);
    this.#uncached = uncached;
    this.#unwatched = unwatched;
    this.#scheduler = scheduler;
    this.#historicalStates = new HistoricalStates(this.history, scheduler);
  }

  /** 0 until a snapshot has been loaded. */
  get revision(): number {
    return this.#revision;
  }

  get loaded(): boolean {
    return this.#revision > 0;
  }

  /** The revisions up to this one that were never assigned. */
  get gaps(): RevisionGaps {
    return this.#gaps;
  }

  /** See ObjectStore. */
  ageOf(revision: number): number {
    return this.#times.age(revision, this.#scheduler.now());
  }

  get usage(): UsageStatistics {
    return this.#usage;
  }

  state(resource: string): ResourceState {
    let state = this.#resources.get(resource);
    if (!state) this.#resources.set(resource, (state = new ResourceState([], resource !== this.#uncached)));
    return state;
  }

  /** Number of objects by resource. */
  counts(): Map<string, number> {
    return new Map([...this.#resources].flatMap(([resource, { size, kept }]) => (kept ? [[resource, size] as const] : [])));
  }

  /** A resource at an earlier revision, or undefined if the history does not reach back that far. Valid only in the current turn. */
  stateAt(resource: string, revision: number): StateView | undefined {
    if (revision === this.#revision) return this.state(resource);
    if (revision < this.history.oldest || revision > this.#revision) return undefined;
    return this.#historicalStates.at(resource, this.state(resource), revision);
  }

  /** Replaces everything. */
  load(snapshot: Snapshot): void {
    this.#resources = new Map([...byResource(snapshot.objects)].map(([resource, objects]) => [resource, new ResourceState(objects)]));
    this.#usage = new UsageStatistics();
    for (const object of snapshot.objects) this.#usage.replace(undefined, object);
    this.#revision = snapshot.revision;
    this.#gaps = snapshot.gaps ?? RevisionGaps.none;
    this.#historicalStates.clear();
    const now = this.#scheduler.now();
    this.#times.reset(snapshot.revision, now);
    this.history.reset(snapshot.history.after, this.#watched(snapshot.history.events), now);
  }

  /** Advances to `changes.revision` and returns the new events. Events up to the cache's revision are dropped. */
  apply(changes: Changes): readonly StoreEvent[] {
    if (changes.revision <= this.#revision) return [];
    const events: StoreEvent[] = [];
    for (const event of this.#watched(changes.events)) {
      if (event.revision > this.#revision) events.push(this.#applyEvent(event));
    }
    this.#revision = changes.revision;
    const now = this.#scheduler.now();
    if (changes.gaps) {
      this.#gaps = changes.gaps;
      this.#times.reset(changes.revision, now);
    } else this.#times.add(changes.revision, now);
    this.history.append(events, now);
    return events;
  }

  #watched(events: readonly StoreEvent[]): readonly StoreEvent[] {
    return this.#unwatched ? events.filter(({ object }) => object.key.resource !== this.#uncached) : events;
  }

  #applyEvent(event: StoreEvent): StoreEvent {
    const state = this.state(event.object.key.resource);
    if (!state.kept) return event;
    const path = objectPath(event.object.key);
    const current = state.get(path);
    const after = event.type === 'DELETED' ? undefined : event.object;
    this.#usage.replace(current, after);
    if (after) state.set(path, after);
    else state.delete(path);
    return withPrevious(event, current);
  }
}

function byResource(objects: readonly StoredObject[]): Map<string, StoredObject[]> {
  const groups = new Map<string, StoredObject[]>();
  for (const object of objects) {
    const group = groups.get(object.key.resource);
    if (group) group.push(object);
    else groups.set(object.key.resource, [object]);
  }
  return groups;
}

/** The event with its previous state replaced by the cache's instance, so that it is in memory only once. */
function withPrevious(event: StoreEvent, previous: StoredObject | undefined): StoreEvent {
  if (!previous || event.previous === previous) return event;
  const { type, revision } = event;
  return { type, revision, object: type === 'DELETED' ? withRevision(previous, revision) : event.object, previous };
}
