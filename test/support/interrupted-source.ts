import type { Changes, ChangeSource, KnownStates, Snapshot } from '../../src/storage/change-source.js';
import type {
  Consistency,
  CreateOptions,
  KeyRange,
  ListOptions,
  ObjectKey,
  ObjectValue,
  StoredObject,
  UnwatchedStore,
  WriteOptions,
} from '../../src/storage/object-store.js';

/** A store whose change source can be made to fail, to be slow and to lose its hints, as a database and its network can. */
export class InterruptedSource implements UnwatchedStore, ChangeSource {
  /** If set, reads reject with this error. */
  failure: Error | undefined;
  /** If set, no wake-ups arrive. */
  deaf = false;
  /** If set, batches of this process are not handed over, as if another process had committed them. */
  foreign = false;
  reads = 0;
  snapshots = 0;
  readonly #inner: UnwatchedStore & ChangeSource;
  #held: Promise<void> | undefined;
  #late = false;
  #release: () => void = () => undefined;

  constructor(inner: UnwatchedStore & ChangeSource) {
    this.#inner = inner;
  }

  /**
   * Holds the answers of later reads until `release`. With `answers` a read's result is determined when it is sent, with `requests` when
   * it is released.
   */
  hold(what: 'answers' | 'requests' = 'answers'): void {
    this.#late = what === 'requests';
    this.#held ??= new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#held = undefined;
    this.#release();
  }

  async loadSnapshot(historyMs: number): Promise<Snapshot> {
    this.snapshots++;
    return this.#answer(() => this.#inner.loadSnapshot(historyMs));
  }

  async readChanges(after: number, known?: KnownStates): Promise<Changes | 'compacted'> {
    this.reads++;
    return this.#answer(() => this.#inner.readChanges(after, known));
  }

  onWake(wake: () => void): () => void {
    return this.#inner.onWake(() => this.deaf || wake());
  }

  onCommitted(apply: (changes: Changes) => void): () => void {
    return this.#inner.onCommitted((changes) => this.foreign || apply(changes));
  }

  suggest(key: ObjectKey) {
    return this.#inner.suggest(key);
  }

  get(key: ObjectKey, consistency: Consistency) {
    return this.#inner.get(key, consistency);
  }

  list(range: KeyRange, options: ListOptions) {
    return this.#inner.list(range, options);
  }

  create(key: ObjectKey, value: ObjectValue, options?: CreateOptions) {
    return this.#inner.create(key, value, options);
  }

  update(current: StoredObject, value: ObjectValue, options?: WriteOptions) {
    return this.#inner.update(current, value, options);
  }

  delete(current: StoredObject, options?: WriteOptions) {
    return this.#inner.delete(current, options);
  }

  currentRevision() {
    return this.#inner.currentRevision();
  }

  ageOf(revision: number) {
    return this.#inner.ageOf(revision);
  }

  async #answer<T>(read: () => Promise<T>): Promise<T> {
    this.#fail();
    const held = this.#held;
    if (this.#late) await held;
    const answer = await read();
    await held;
    this.#fail();
    return answer;
  }

  #fail(): void {
    if (this.failure) throw this.failure;
  }
}
