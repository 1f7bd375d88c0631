import { type ChangeSource, type Changes, type Snapshot, withRevision } from '../change-source.js';
import { comparePaths, inRange, objectPath, pathBounds } from '../object-path.js';
import type {
  Consistency,
  CreateOptions,
  KeyRange,
  ListOptions,
  ListResult,
  ObjectKey,
  ObjectValue,
  Sequel,
  StoredObject,
  StoreEvent,
  UnwatchedStore,
  WriteOptions,
} from '../object-store.js';
import { type Requester, timeLeft } from '../requester.js';
import { RevisionTimes, RevisionWaiters } from '../revisions.js';
import {
  MINIMUM_REVISION_WAIT_MS,
  StorageError,
  abandonedError,
  compactedError,
  sizeRefusal,
  tooLargeRevisionError,
} from '../storage-errors.js';
import { type Scheduler, systemScheduler } from '../../time/scheduler.js';
import { type TermChange, isNewestFirst, TERM_RESOURCE, tokenOf } from '../term-change.js';
import type { MemoryTerms, OpenTerm, TermEvent } from './memory-terms.js';

/** Options of a MemoryStore. */
export interface MemoryStoreOptions {
  readonly scheduler?: Scheduler;
  /** The revision of a new database; everything up to it is compacted. */
  readonly initialRevision?: number;
  /** Records the terms of leases as objects; absent: they are not recorded. */
  readonly terms?: MemoryTerms;
  /** Awaited before each write and each read of changes, as a slow database would let them wait. */
  readonly delay?: () => Promise<void> | undefined;
}

/** All that a MemoryStore holds at one moment, to be restored later. */
export interface MemorySnapshot {
  readonly objects: ReadonlyMap<string, StoredObject>;
  readonly openTerms: ReadonlyMap<string, OpenTerm>;
}

/** Changes that are kept; half of them are dropped when there are more. */
const MAX_EVENTS = 20_000;
/** Terms that are kept; the oldest half is dropped when there are more, as old segments of a database are. */
const MAX_TERMS = 10_000;

type State = Map<string, StoredObject>;
interface View {
  readonly state: State;
  readonly revision: number;
}
type Change = (revision: number) => StoreEvent;

const stateKey = (key: ObjectKey): string => `${key.resource} ${objectPath(key)}`;

/* eslint-disable @typescript-eslint/require-await -- async, so that a refusal is a rejection */
/**
 * The storage contract in memory: the reference for the other stores, the store for unit tests of higher layers, and that of a test server.
 * Each write is a batch of its own; as in PostgreSQL, a refused write consumes a revision too, and a cache serves the watches.
 */
export class MemoryStore implements UnwatchedStore, ChangeSource {
  readonly uncached: string | undefined;
  readonly #scheduler: Scheduler;
  readonly #current: State = new Map();
  readonly #committed = new Set<(changes: Changes) => void>();
  readonly #wakes = new Set<() => void>();
  readonly #times = new RevisionTimes();
  readonly #waiters: RevisionWaiters;
  readonly #terms: MemoryTerms | undefined;
  readonly #delay: () => Promise<void> | undefined;
  #events: StoreEvent[] = [];
  #recordedTerms = 0;
  #revision: number;
  #compacted: number;

  constructor(options: MemoryStoreOptions = {}) {
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#waiters = new RevisionWaiters(this.#scheduler);
    this.#terms = options.terms;
    this.uncached = options.terms && TERM_RESOURCE;
    this.#delay = options.delay ?? (() => undefined);
    this.#revision = this.#compacted = options.initialRevision ?? 1000;
  }

  /** Drops history: what precedes `revision` can no longer be read or watched. */
  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, Math.min(revision, this.#revision));
    this.#events = this.#events.filter((event) => event.revision > this.#compacted);
  }

  /** Drops all history, so that every revision that a client knows is compacted. */
  forgetHistory(): number {
    const after = this.#revision;
    this.#revision += 1;
    this.compact(this.#revision);
    this.#announce(after, []);
    return this.#revision;
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
    const isByToken = range.resource === this.uncached && isNewestFirst(options);
    const rest = isByToken ? newestTerms(state, range, options.start) : objectsInOrder(state, range, options.start);
    const matching = options.predicate ? rest.filter(options.predicate) : rest;
    const objects = options.limit ? matching.slice(0, options.limit) : matching;
    const last = objects.at(-1);
    const full = options.limit !== undefined && options.limit > 0 && objects.length === options.limit && last !== undefined;
    const remaining = full ? rest.length - rest.indexOf(last) - 1 : 0;
    return { objects, revision, more: remaining > 0, remaining: options.predicate ? undefined : remaining };
  }

  async create(key: ObjectKey, value: ObjectValue, options: CreateOptions = {}): Promise<StoredObject> {
    const delay = this.#delay();
    if (delay) await delay;
    checkSize(value);
    checkTime(key, options.requester);
    return this.#commit(() => {
      this.#checkContainer(options.container);
      if (this.#current.has(stateKey(key))) throw new StorageError('Exists', `${stateKey(key)} exists`);
      return (revision) => ({ type: 'ADDED', revision, object: stored(key, value, revision) });
    }, options.sequel).object;
  }

  async update(current: StoredObject, value: ObjectValue, { requester, sequel }: WriteOptions = {}): Promise<StoredObject> {
    const delay = this.#delay();
    if (delay) await delay;
    checkSize(value);
    checkTime(current.key, requester);
    return this.#commit(() => {
      const previous = this.#checkNewest(current);
      return (revision) => ({ type: 'MODIFIED', revision, object: stored(previous.key, value, revision), previous });
    }, sequel).object;
  }

  async delete(current: StoredObject, { requester, sequel }: WriteOptions = {}): Promise<number> {
    const delay = this.#delay();
    if (delay) await delay;
    checkTime(current.key, requester);
    return this.#commit(() => {
      const previous = this.#checkNewest(current);
      return (revision) => ({ type: 'DELETED', revision, object: withRevision(previous, revision), previous });
    }, sequel).revision;
  }

  async currentRevision(): Promise<number> {
    return this.#revision;
  }

  ageOf(revision: number): number {
    return this.#times.age(revision, this.#scheduler.now());
  }

  async loadSnapshot(): Promise<Snapshot> {
    const history = { after: this.#compacted, revision: this.#revision, events: [...this.#events] };
    const objects = [...this.#current.values()].filter(({ key }) => key.resource !== this.uncached);
    return { revision: this.#revision, objects, history };
  }

  async readChanges(after: number): Promise<Changes | 'compacted'> {
    const delay = this.#delay();
    if (delay) await delay;
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

  /** Changes the term of a lease that is at a revision, outside of its writes; answers whether there was something to change. */
  changeTerm(lease: ObjectKey, revision: number, change: (nextRevision: () => number) => TermEvent | undefined): boolean {
    if (this.#current.get(stateKey(lease))?.revision !== revision) return false;
    const after = this.#revision;
    const event = change(() => ++this.#revision);
    if (!event) return false;
    this.#announce(after, [this.#apply({ ...event, revision: event.object.revision })]);
    return true;
  }

  snapshot(): MemorySnapshot {
    return { objects: new Map(this.#current), openTerms: new Map(this.#terms?.open) };
  }

  /** Makes the state what it was, by changes that watchers see. */
  restore({ objects, openTerms }: MemorySnapshot): void {
    const after = this.#revision;
    const events: StoreEvent[] = [];
    const gone = [...this.#current.values()].filter(({ key }) => !objects.has(stateKey(key)));
    for (const previous of gone) {
      const revision = ++this.#revision;
      events.push(this.#apply({ type: 'DELETED', revision, object: withRevision(previous, revision), previous }));
    }
    const restoredTerms = new Map<string, OpenTerm>();
    for (const [key, object] of objects) {
      const previous = this.#current.get(key);
      if (previous && isSame(previous, object)) continue;
      const revision = ++this.#revision;
      events.push(this.#apply({ type: previous ? 'MODIFIED' : 'ADDED', revision, object: withRevision(object, revision), previous }));
    }
    for (const [lease, { columns, object }] of openTerms) {
      restoredTerms.set(lease, { columns, object: this.#current.get(stateKey(object.key)) ?? object });
    }
    this.#terms?.restore(restoredTerms);
    if (events.length > 0) this.#announce(after, events);
  }

  /** Decides and applies one write. Its revision is announced even if the write is refused. */
  #commit(decide: () => Change, sequel?: Sequel): StoreEvent {
    const after = this.#revision;
    const revision = ++this.#revision;
    const events: StoreEvent[] = [];
    try {
      const event = this.#apply(decide()(revision));
      events.push(event);
      const changed = (sequel && this.#terms?.change(event.object.key, sequel as TermChange, revision, () => ++this.#revision)) ?? [];
      events.push(...changed.map((each) => this.#apply({ ...each, revision: each.object.revision })));
      return event;
    } finally {
      this.#announce(after, events);
    }
  }

  #announce(after: number, events: readonly StoreEvent[]): void {
    const revision = this.#revision;
    if (events.length > 0) this.#times.add(revision, this.#scheduler.now());
    if (this.#events.length > MAX_EVENTS) this.compact(this.#events[this.#events.length >> 1]?.revision ?? 0);
    for (const apply of this.#committed) apply({ after, revision, events });
    for (const wake of this.#wakes) wake();
    this.#waiters.reached(revision);
  }

  #apply(event: StoreEvent): StoreEvent {
    this.#events.push(event);
    const { key } = event.object;
    if (event.type === 'DELETED') this.#current.delete(stateKey(key));
    else this.#current.set(stateKey(key), event.object);
    if (event.type === 'ADDED' && key.resource === TERM_RESOURCE && ++this.#recordedTerms > MAX_TERMS) this.#forgetTerms();
    return event;
  }

  /** Drops the older half of the terms that have ended. Nobody is told, as with a segment of a database. */
  #forgetTerms(): void {
    const open = new Set([...(this.#terms?.open.values() ?? [])].map(({ object }) => stateKey(object.key)));
    const ended = [...this.#current].filter(([key, object]) => object.key.resource === TERM_RESOURCE && !open.has(key));
    for (const [key] of ended.slice(0, ended.length >> 1)) this.#current.delete(key);
    this.#recordedTerms = open.size + ended.length - (ended.length >> 1);
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
    const isReached = await this.#waiters.wait(consistency.revision, MINIMUM_REVISION_WAIT_MS);
    if (!isReached) throw tooLargeRevisionError(consistency.revision, this.#revision);
  }
}

function stored(key: ObjectKey, value: ObjectValue, revision: number): StoredObject {
  return { key, uid: value.uid, data: value.data, terminating: value.terminating, revision };
}

function isSame(a: StoredObject, b: StoredObject): boolean {
  return a === b || (a.uid === b.uid && a.data === b.data && a.terminating === b.terminating);
}

function objectsInOrder(state: State, range: KeyRange, start?: string): StoredObject[] {
  const { from, to } = pathBounds(range, start);
  const behind = (path: string) => comparePaths(path, from) >= 0 && (to === undefined || comparePaths(path, to) < 0);
  return [...state.values()]
    .filter((object) => inRange(range, object.key) && behind(objectPath(object.key)))
    .sort((a, b) => comparePaths(objectPath(a.key), objectPath(b.key)));
}

/** Terms of leases, by their tokens from the newest on: those below the token that `start` ends in. */
function newestTerms(state: State, range: KeyRange, start = ''): StoredObject[] {
  const below = tokenOf(start);
  return [...state.values()]
    .filter(({ key }) => inRange(range, key) && tokenOf(key.name) < below)
    .sort((a, b) => tokenOf(b.key.name) - tokenOf(a.key.name));
}

function checkTime(key: ObjectKey, requester: Requester | undefined): void {
  if (timeLeft(requester) <= 0) throw abandonedError(stateKey(key));
}

function checkSize(value: ObjectValue): void {
  const refusal = sizeRefusal(value);
  if (refusal) throw refusal;
}
