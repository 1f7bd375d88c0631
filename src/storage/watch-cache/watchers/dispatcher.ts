import { objectPath } from '../../object-path.js';
import type { KeyRange, StoreEvent } from '../../object-store.js';

/** A live watcher as seen by the dispatcher. */
export interface EventSink {
  readonly range: KeyRange;
  /** Takes an event of its range, to be delivered by the next `flush`. */
  offer(event: StoreEvent): void;
  flush(): void;
}

/** The watchers of one resource by what they select, so that an event costs nothing for those that select something else. */
class ResourceWatchers {
  readonly all = new Set<EventSink>();
  readonly byNamespace = new Map<string, Set<EventSink>>();
  readonly byPath = new Map<string, Set<EventSink>>();
}

/**
 * Passes events to watchers in order, in a turn after the one in which the cache applied them, so that neither the cache nor a writer waits
 * for watchers, and batches in close succession are delivered together.
 */
export class Dispatcher {
  readonly #resources = new Map<string, ResourceWatchers>();
  #queue: StoreEvent[] = [];
  #queued = 0;
  #revision = 0;
  #scheduled = false;

  /** Every live watcher has received everything up to this revision. */
  get revision(): number {
    return this.#revision;
  }

  add(sink: EventSink): void {
    this.#setOf(sink.range).add(sink);
  }

  remove(sink: EventSink): void {
    const { range } = sink;
    const watchers = this.#resources.get(range.resource);
    if (!watchers) return;
    if (range.name !== undefined) removeFrom(watchers.byPath, pathOf(range), sink);
    else if (range.namespace) removeFrom(watchers.byNamespace, range.namespace, sink);
    else watchers.all.delete(sink);
  }

  /** Queues events that the cache has applied, with its new revision. */
  enqueue(events: readonly StoreEvent[], revision: number): void {
    for (const event of events) this.#queue.push(event);
    this.#queued = revision;
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.run());
  }

  /** Delivers everything that is queued. */
  run(): void {
    this.#scheduled = false;
    const events = this.#queue;
    this.#queue = [];
    this.#revision = this.#queued;
    const touched = new Set<EventSink>();
    for (const event of events) this.#offer(event, touched);
    for (const sink of touched) sink.flush();
  }

  /** Moves to a revision that was reached other than by events. Everything queued must have been delivered. */
  reset(revision: number): void {
    this.#revision = this.#queued = revision;
  }

  #offer(event: StoreEvent, touched: Set<EventSink>): void {
    const { key } = event.object;
    const watchers = this.#resources.get(key.resource);
    if (!watchers) return;
    const sets = [
      watchers.all,
      watchers.byNamespace.size > 0 ? watchers.byNamespace.get(key.namespace) : undefined,
      watchers.byPath.size > 0 ? watchers.byPath.get(objectPath(key)) : undefined,
    ];
    for (const set of sets) {
      for (const sink of set ?? []) {
        sink.offer(event);
        touched.add(sink);
      }
    }
  }

  #setOf(range: KeyRange): Set<EventSink> {
    let watchers = this.#resources.get(range.resource);
    if (!watchers) this.#resources.set(range.resource, (watchers = new ResourceWatchers()));
    if (range.name !== undefined) return setIn(watchers.byPath, pathOf(range));
    return range.namespace ? setIn(watchers.byNamespace, range.namespace) : watchers.all;
  }
}

function pathOf(range: KeyRange): string {
  return objectPath({ resource: range.resource, namespace: range.namespace ?? '', name: range.name ?? '' });
}

function setIn(sets: Map<string, Set<EventSink>>, key: string): Set<EventSink> {
  let set = sets.get(key);
  if (!set) sets.set(key, (set = new Set()));
  return set;
}

function removeFrom(sets: Map<string, Set<EventSink>>, key: string, sink: EventSink): void {
  const set = sets.get(key);
  if (set?.delete(sink) && set.size === 0) sets.delete(key);
}

/** Limit on delivered but unsent items of all watchers together, in bytes. */
const BUDGET_BYTES = 256 * 1024 * 1024;

/** A watcher with a backlog. */
export interface Debtor {
  readonly unsent: number;
  end(reason: 'slow'): void;
}

/**
 * The unsent bytes of all watchers. Each watcher is bounded by its own budget; this bounds many that read nothing: while half of the budget
 * is used, watchers that are behind get nothing more for now, and above it the slowest one is closed.
 */
export class BacklogBudget {
  readonly #limit: number;
  readonly #watchers: Iterable<Debtor>;
  #total = 0;

  constructor(watchers: Iterable<Debtor>, limit = BUDGET_BYTES) {
    this.#watchers = watchers;
    this.#limit = limit;
  }

  get total(): number {
    return this.#total;
  }

  get tight(): boolean {
    return this.#total > this.#limit / 2;
  }

  /** The backlog of a watcher changed by this many bytes. */
  change(bytes: number): void {
    this.#total += bytes;
    if (bytes > 0 && this.#total > this.#limit) this.#slowest()?.end('slow');
  }

  #slowest(): Debtor | undefined {
    let slowest: Debtor | undefined;
    for (const watcher of this.#watchers) if (watcher.unsent > (slowest?.unsent ?? 0)) slowest = watcher;
    return slowest;
  }
}
