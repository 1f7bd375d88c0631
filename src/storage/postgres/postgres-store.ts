import type { Changes, ChangeSource, KnownStates, Snapshot } from '../change-source.js';
import type { PoolStatistics } from '../database/connection-pool.js';
import type { Database } from '../database/database.js';
import type { ChangeListener } from '../notify/change-listener.js';
import type { WakeSignal } from '../notify/wake-signal.js';
import type {
  Consistency,
  CreateOptions,
  KeyRange,
  ListOptions,
  ListResult,
  ObjectKey,
  ObjectValue,
  StoredObject,
  UnwatchedStore,
  WriteOptions,
} from '../object-store.js';
import { MINIMUM_REVISION_WAIT_MS, sizeRefusal, tooLargeRevisionError } from '../storage-errors.js';
import { type Scheduler, sleep } from '../../time/scheduler.js';
import type { CommitQueue } from './write/commit-queue.js';
import type { Compactor } from './compaction/compactor.js';
import type { CounterRepository } from './lineage/counter.repository.js';
import type { Lineage } from './lineage/lineage.js';
import { ListReader } from './read/list-reader.js';
import { type ObjectRepository, sqlRange } from './read/object.repository.js';
import type { HistoricalStateRepository } from './read/historical-state.repository.js';
import type { WriteRequest } from './write/pending-write.js';
import type { RevisionLogRepository } from './log/revision-log.repository.js';
import type { SecretRepository } from './secret.repository.js';
import type { StateRepository } from './states/state.repository.js';
import type { SnapshotReader } from './read/snapshot-reader.js';
import type { TermHistory } from './terms/term-history.js';

const REVISION_POLL_MS = 20;

/** What a PostgresStore is made of (open-postgres-store.ts). */
export interface PostgresStoreParts {
  readonly database: Database;
  readonly scheduler: Scheduler;
  readonly lineage: Lineage;
  readonly counters: CounterRepository;
  readonly compactor: Compactor;
  readonly secrets: SecretRepository;
  readonly states: StateRepository;
  readonly terms: TermHistory;
  readonly objects: ObjectRepository;
  readonly historicalStates: HistoricalStateRepository;
  readonly log: RevisionLogRepository;
  readonly snapshots: SnapshotReader;
  readonly commits: CommitQueue;
  readonly wakes: WakeSignal;
  readonly listener: ChangeListener | undefined;
  /** Whether this process maintains the log. */
  readonly compacts: boolean;
}

/** Objects and their history in PostgreSQL. Every read queries the database; the watch cache in front of it serves the watches. */
export class PostgresStore implements UnwatchedStore, ChangeSource {
  /** Maintains the log; commands and tests also call it directly. */
  readonly compactor: Compactor;
  readonly secrets: SecretRepository;
  /** Terms of leases. They are objects of this store as well, which only the history writes. */
  readonly terms: TermHistory;
  readonly states: StateRepository;
  readonly uncached: string;
  readonly #parts: PostgresStoreParts;
  readonly #lists: ListReader;
  /** The newest revision that this process has seen. */
  #newest = 0;
  #closing: Promise<void> | undefined;

  /** Starts nothing; callers use `openPostgresStore`. */
  constructor(parts: PostgresStoreParts) {
    this.#parts = parts;
    ({ compactor: this.compactor, secrets: this.secrets, terms: this.terms, states: this.states } = parts);
    this.uncached = parts.terms.resource;
    this.#lists = new ListReader(parts.objects, parts.historicalStates);
    parts.commits.onCommitted(({ revision }) => this.#noteRevision(revision));
  }

  /** Whether notifications of commits arrive; otherwise changes are found by polling. */
  get listening(): boolean {
    return this.#parts.listener?.listening ?? false;
  }

  /** Number of writes waiting for a batch. */
  get queuedWrites(): number {
    return this.#parts.commits.length;
  }

  /** The name and server of the database, for messages. */
  get place(): string {
    return this.#parts.database.place;
  }

  get schema(): string {
    return this.#parts.database.schema;
  }

  /** For metrics. */
  get connections(): PoolStatistics {
    return this.#parts.database.connections;
  }

  /** The current lineage of revisions: its start, the gaps before it, and when this process found it. */
  get lineage(): Readonly<Pick<Lineage, 'start' | 'gaps' | 'foundAt'>> {
    return this.#parts.lineage;
  }

  async start(): Promise<void> {
    const { counters, database } = this.#parts;
    // What follows needs the lineage and a connection for the feed: neither waits for the other.
    const [{ value }] = await Promise.all([counters.first(), database.warmUp('feed')]);
    this.#newest = value;
    this.#parts.listener?.start();
    if (this.#parts.compacts) this.compactor.start();
  }

  /** Rejects with the reason if writes do not go through. */
  checkWrites(): Promise<void> {
    return this.#parts.commits.check();
  }

  /** Finishes queued writes, then ends connections. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** The store keeps no objects in memory. */
  suggest(): undefined {
    return undefined;
  }

  async get(key: ObjectKey, consistency: Consistency): Promise<{ object?: StoredObject; revision: number }> {
    const at = await this.#reach(consistency);
    if (key.resource === this.uncached) return this.terms.reader.get(key, at);
    if (at === undefined) return this.#parts.objects.get(key);
    const [object] = await this.#parts.historicalStates.list(sqlRange(key), at, 1);
    return { object, revision: at };
  }

  async list(range: KeyRange, options: ListOptions): Promise<ListResult> {
    const at = await this.#reach(options.consistency);
    return (range.resource === this.uncached ? this.terms.reader : this.#lists).list(range, options, at);
  }

  create(key: ObjectKey, value: ObjectValue, options: CreateOptions = {}): Promise<StoredObject> {
    return this.#write({ kind: 'A', key, value, ...options });
  }

  update(current: StoredObject, value: ObjectValue, options: WriteOptions = {}): Promise<StoredObject> {
    return this.#write({ kind: 'M', key: current.key, value, current, ...options });
  }

  async delete(current: StoredObject, options: WriteOptions = {}): Promise<number> {
    const last = await this.#parts.commits.submit({ kind: 'D', key: current.key, value: current, current, ...options });
    return last.revision;
  }

  currentRevision(): Promise<number> {
    return this.#parts.counters.revision();
  }

  /** Only a cache follows the history. */
  ageOf(): number {
    return 0;
  }

  loadSnapshot(historyMs: number): Promise<Snapshot> {
    return this.#parts.snapshots.read(historyMs);
  }

  async readChanges(after: number, known?: KnownStates): Promise<Changes | 'compacted'> {
    const changes = await this.#parts.log.changesAfter(after, known);
    if (changes !== 'compacted') this.#noteRevision(changes.revision);
    return changes;
  }

  onWake(wake: () => void): () => void {
    return this.#parts.wakes.subscribe(wake);
  }

  onCommitted(apply: (changes: Changes) => void): () => void {
    return this.#parts.commits.onCommitted(apply);
  }

  async #close(): Promise<void> {
    this.#parts.wakes.stop();
    await this.terms.maintenance.stop();
    await this.#parts.commits.close();
    await this.#parts.listener?.stop();
    await this.compactor.stop();
    await this.#parts.database.close();
  }

  #noteRevision(revision: number): void {
    this.#parts.lineage.note(revision);
    if (revision <= this.#newest) return;
    this.#newest = revision;
    this.#parts.wakes.noteChange();
  }

  /** Not async: every renewal passes through here, and the queue's promise is sufficient. */
  #write(request: WriteRequest): Promise<StoredObject> {
    const refusal = sizeRefusal(request.value);
    return refusal ? Promise.reject(refusal) : this.#parts.commits.submit(request);
  }

  /** Waits for a minimum revision. Returns an exact one, which may turn out to be compacted or in the future when it is read. */
  async #reach(consistency: Consistency): Promise<number | undefined> {
    if (consistency.kind === 'exact') return this.#exactRevision(consistency.revision);
    if (consistency.kind === 'notOlderThan' && consistency.revision > this.#newest) await this.#waitFor(consistency.revision);
    return undefined;
  }

  async #exactRevision(revision: bigint): Promise<number> {
    if (revision <= this.#newest) return Number(revision);
    const newest = await this.#parts.counters.revision();
    this.#noteRevision(newest);
    if (revision > newest) throw tooLargeRevisionError(revision, newest);
    return Number(revision);
  }

  async #waitFor(revision: bigint): Promise<void> {
    const deadline = this.#parts.scheduler.now() + MINIMUM_REVISION_WAIT_MS;
    for (;;) {
      const newest = await this.#parts.counters.revision();
      this.#noteRevision(newest);
      if (revision <= newest) return;
      if (this.#parts.scheduler.now() >= deadline) throw tooLargeRevisionError(revision, newest);
      await sleep(this.#parts.scheduler, REVISION_POLL_MS);
    }
  }
}
