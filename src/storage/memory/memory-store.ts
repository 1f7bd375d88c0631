import type { Changes, ChangeSource, Snapshot } from '../change-source.js';
import { QueuedWatch } from '../watch/queued-watch.js';
import { comparePaths, inRange, objectPath, pathBounds } from '../object-path.js';
import type {
  Consistency,
  CreateOptions,
  KeyRange,
  ListOptions,
  ListResult,
  ObjectKey,
  ObjectStore,
  ObjectValue,
  Predicate,
  StoredObject,
  StoreEvent,
  Watch,
  WatchOptions,
  WatchReceiver,
} from '../object-store.js';
import type { Requester } from '../requester.js';
import { RevisionTimes } from '../revision-times.js';
import { timeLeft } from '../requester.js';
import { abandonedError, compactedError, StorageError, tooLargeRevisionError } from '../storage-errors.js';
import type { Scheduler } from '../../time/scheduler.js';
import { systemScheduler } from '../../time/scheduler.js';
import { MINIMUM_REVISION_WAIT_MS, sizeRefusal } from '../storage-limits.js';
import { withRevision } from '../watch/translate-event.js';

/** Options of a MemoryStore. */
export interface MemoryStoreOptions {
  readonly scheduler?: Scheduler;
  /** The revision of a new database; everything up to it is compacted. */
  readonly initialRevision?: number;
}

type State = Map<string, StoredObject>;
interface View {
  readonly state: State;
  readonly revision: number;
}
type Change = (revision: number) => StoreEvent;

const stateKey = (key: ObjectKey): string => `${key.resource} ${objectPath(key)}`;

/* eslint-disable @typescript-eslint/require-await -- async, so that a refusal is a rejection */
/**
 * The storage contract in memory: the reference for the other stores, and the store for unit tests of higher layers. Each write is a batch
 * of its own; as in PostgreSQL, a refused write consumes a revision too.
 */
export class MemoryStore implements ObjectStore, ChangeSource {
  readonly #scheduler: Scheduler;
  readonly #current: State = new Map();
  readonly #watches = new Set<QueuedWatch>();
  readonly #committed = new Set<(changes: Changes) => void>();
  readonly #wakes = new Set<() => void>();
  readonly #times = new RevisionTimes();
  #events: StoreEvent[] = [];
  #revision: number;
  #compacted: number;

  constructor(options: MemoryStoreOptions = {}) {
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#revision = this.#compacted = options.initialRevision ?? 1000;
  }

  /** Drops history: what precedes `revision` can no longer be read or watched. */
  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#revision));
    this.#events = this.#events.filter((event) => event.revision > this.#compacted);
  }

  suggest(key: ObjectKey): StoredObject | undefined {
    return this.#view({ kind: 'any' }).state.get(stateKey(key));
  }

  async get(key: ObjectKey, consistency: Consistency): Promise<{ object?: StoredObject; revision: number }> {
    await this.#reach(consistency);
    const { state, revision } = this.#view(consistency);
    return { object: state.get(stateKey(key)), revision };
  }

  async list(range: KeyRange, options: ListOptions): Promise<ListResult> {
    await this.#reach(options.consistency);
    const { state, revision } = this.#view(options.consistency);
    const rest = objectsInOrder(state, range, options.start);
    const matching = options.predicate ? rest.filter(options.predicate) : rest;
    const objects = options.limit ? matching.slice(0, options.limit) : matching;
    const last = objects.at(-1);
    const full = options.limit !== undefined && options.limit > 0 && objects.length === options.limit && last !== undefined;
    const remaining = full ? rest.length - rest.indexOf(last) - 1 : 0;
    return { objects, revision, more: remaining > 0, remaining: options.predicate ? undefined : remaining };
  }

  async create(key: ObjectKey, value: ObjectValue, options: CreateOptions = {}): Promise<StoredObject> {
    checkSize(value);
    checkTime(key, options.requester);
    return this.#commit(() => {
      this.#checkContainer(options.container);
      if (this.#current.has(stateKey(key))) throw new StorageError('Exists', `${stateKey(key)} exists`);
      return (revision) => ({ type: 'ADDED', revision, object: stored(key, value, revision) });
    }).object;
  }

  async update(current: StoredObject, value: ObjectValue, requester?: Requester): Promise<StoredObject> {
    checkSize(value);
    checkTime(current.key, requester);
    return this.#commit(() => {
      const previous = this.#checkNewest(current);
      return (revision) => ({ type: 'MODIFIED', revision, object: stored(previous.key, value, revision), previous });
    }).object;
  }

  async delete(current: StoredObject, requester?: Requester): Promise<number> {
    checkTime(current.key, requester);
    return this.#commit(() => {
      const previous = this.#checkNewest(current);
      return (revision) => ({ type: 'DELETED', revision, object: withRevision(previous, revision), previous });
    }).revision;
  }

  async currentRevision(): Promise<number> {
    return this.#revision;
  }

  ageOf(revision: number): number {
    return this.#times.age(revision, this.#scheduler.now());
  }

  async watch(range: KeyRange, options: WatchOptions, receive: WatchReceiver): Promise<Watch> {
    const request = { range, options, receive };
    try {
      if (options.initialState) await this.#reach(options.initialState);
      const initial = options.initialState && this.#view(options.initialState);
      const watch = this.#open(request, initial?.revision ?? Number(options.after ?? this.#revision));
      if (initial) this.#pushState(watch, initial, range, options.predicate);
      else if (watch.revision < this.#compacted) watch.push({ kind: 'error', error: compactedError(watch.revision, this.#compacted) });
      watch.offer(this.#events, this.#revision);
      return watch;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      const watch = this.#open(request, this.#revision);
      watch.push({ kind: 'error', error });
      return watch;
    }
  }

  async loadSnapshot(): Promise<Snapshot> {
    const history = { after: this.#compacted, revision: this.#revision, events: [...this.#events] };
    return { revision: this.#revision, objects: [...this.#current.values()], history };
  }

  async readChanges(after: number): Promise<Changes | 'compacted'> {
    if (after < this.#compacted) return 'compacted';
    return { after, revision: this.#revision, events: this.#events.filter((event) => event.revision > after) };
  }

  onWake(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => this.#wakes.delete(wake);
  }

  onCommitted(apply: (changes: Changes) => void): () => void {
    this.#committed.add(apply);
    return () => this.#committed.delete(apply);
  }

  /** Decides and applies one write. Its revision is announced even if the write is refused. */
  #commit(decide: () => Change): StoreEvent {
    const after = this.#revision;
    const revision = ++this.#revision;
    const events: StoreEvent[] = [];
    try {
      const event = decide()(revision);
      events.push(event);
      this.#apply(event);
      this.#times.add(revision, this.#scheduler.now());
      return event;
    } finally {
      for (const apply of this.#committed) apply({ after, revision, events });
      for (const watch of this.#watches) watch.offer(events, revision);
      for (const wake of this.#wakes) wake();
    }
  }

  #apply(event: StoreEvent): void {
    this.#events.push(event);
    if (event.type === 'DELETED') this.#current.delete(stateKey(event.object.key));
    else this.#current.set(stateKey(event.object.key), event.object);
  }

  #checkContainer(container: ObjectKey | undefined): void {
    if (!container) return;
    const object = this.#current.get(stateKey(container));
    if (!object) throw new StorageError('ContainerMissing', `${stateKey(container)} does not exist`);
    if (object.terminating) throw new StorageError('ContainerTerminating', `${stateKey(container)} is terminating`);
  }

  #checkNewest(expected: StoredObject): StoredObject {
    const newest = this.#current.get(stateKey(expected.key));
    if (!newest) throw new StorageError('NotFound', `${stateKey(expected.key)} does not exist`);
    if (newest.revision !== expected.revision) throw new StorageError('Conflict', `${stateKey(expected.key)} is at ${newest.revision}`);
    return newest;
  }

  /** The view is valid only in the current turn of the event loop. */
  #view(consistency: Consistency): View {
    if (consistency.kind === 'exact') return this.#stateAt(consistency.revision);
    return { state: this.#current, revision: this.#revision };
  }

  #stateAt(revision: bigint): View {
    if (revision > this.#revision) throw tooLargeRevisionError(revision, this.#revision);
    if (revision < this.#compacted) throw compactedError(revision, this.#compacted);
    const state = new Map(this.#current);
    for (const event of this.#events.toReversed()) {
      if (event.revision <= revision) break;
      if (event.previous) state.set(stateKey(event.object.key), event.previous);
      else state.delete(stateKey(event.object.key));
    }
    return { state, revision: Number(revision) };
  }

  /** Waits for a minimum revision. */
  async #reach(consistency: Consistency): Promise<void> {
    if (consistency.kind !== 'notOlderThan' || consistency.revision <= this.#revision) return;
    const { revision } = consistency;
    await new Promise<void>((resolve) => {
      const cancel = this.#scheduler.after(MINIMUM_REVISION_WAIT_MS, () => finish());
      const stop = this.onWake(() => revision <= this.#revision && finish());
      const finish = () => {
        cancel();
        stop();
        resolve();
      };
    });
    if (revision > this.#revision) throw tooLargeRevisionError(revision, this.#revision);
  }

  #open(request: { range: KeyRange; options: WatchOptions; receive: WatchReceiver }, after: number): QueuedWatch {
    const watch = new QueuedWatch(request, after, this.#scheduler, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  #pushState(watch: QueuedWatch, { state, revision }: View, range: KeyRange, predicate: Predicate = () => true): void {
    for (const object of objectsInOrder(state, range).filter(predicate)) {
      watch.push({ kind: 'event', event: { type: 'ADDED', revision: object.revision, object } });
    }
    watch.push({ kind: 'bookmark', revision, initialEventsEnd: true });
  }
}

function stored(key: ObjectKey, value: ObjectValue, revision: number): StoredObject {
  return { key, uid: value.uid, data: value.data, terminating: value.terminating, revision };
}

function objectsInOrder(state: State, range: KeyRange, start?: string): StoredObject[] {
  const { from, to } = pathBounds(range, start);
  const behind = (path: string) => comparePaths(path, from) >= 0 && (to === undefined || comparePaths(path, to) < 0);
  return [...state.values()]
    .filter((object) => inRange(range, object.key) && behind(objectPath(object.key)))
    .sort((a, b) => comparePaths(objectPath(a.key), objectPath(b.key)));
}

function checkTime(key: ObjectKey, requester: Requester | undefined): void {
  if (timeLeft(requester) <= 0) throw abandonedError(stateKey(key));
}

function checkSize(value: ObjectValue): void {
  const refusal = sizeRefusal(value);
  if (refusal) throw refusal;
}
