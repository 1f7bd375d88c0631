import type { Logger } from 'pino';
import type { Changes, ChangeSource, KnownStates, Snapshot } from '../change-source.js';
import type { PoolStatistics } from '../database/connection-pool.js';
import type { Database } from '../database/database.js';
import { changesChannel } from '../database/session/database-schema.js';
import { QueuedWatch } from '../watch/queued-watch.js';
import { ChangeListener } from '../notify/change-listener.js';
import { POLL_ALONE, POLL_BESIDE_LISTEN, WakeSignal } from '../notify/wake-signal.js';
import type {
  Consistency,
  CreateOptions,
  KeyRange,
  ListOptions,
  ListResult,
  ObjectKey,
  ObjectStore,
  ObjectValue,
  StoredObject,
  Watch,
  WatchOptions,
  WatchReceiver,
} from '../object-store.js';
import type { Requester } from '../requester.js';
import { compactedError, StorageError, tooLargeRevisionError } from '../storage-errors.js';
import type { Scheduler } from '../../time/scheduler.js';
import { sleep, systemScheduler } from '../../time/scheduler.js';
import { MINIMUM_REVISION_WAIT_MS, sizeRefusal } from '../storage-limits.js';
import type { TermChange } from '../term-change.js';
import { TERM_RESOURCE } from '../term-change.js';
import { BatchSender } from './write/batch-sender.js';
import { CommitQueue } from './write/commit-queue.js';
import { CompactionRepository } from './compaction/compaction.repository.js';
import { Compactor } from './compaction/compactor.js';
import { CounterRepository } from './lineage/counter.repository.js';
import { feedWatch } from './read/feed-watch.js';
import { KnownSegments } from './lineage/known-segments.js';
import { Lineage } from './lineage/lineage.js';
import { ListReader } from './read/list-reader.js';
import { ObjectRepository } from './read/object.repository.js';
import { LockRepository } from './write/lock.repository.js';
import { WriteOutcomeRepository } from './write/write-outcome.repository.js';
import { HistoricalStateRepository } from './read/historical-state.repository.js';
import type { WriteRequest } from './write/pending-write.js';
import type { PostgresStoreOptions } from './postgres-store-options.js';
import { DEFAULT_STORE_OPTIONS } from './postgres-store-options.js';
import { RevisionLogRepository } from './log/revision-log.repository.js';
import { sqlRange } from './read/sql-range.js';
import { SecretRepository } from './secret.repository.js';
import { StateRepository } from './states/state.repository.js';
import { SnapshotReader } from './read/snapshot-reader.js';
import { TermHistory } from './terms/term-history.js';

const REVISION_POLL_MS = 20;

/** Objects and their history in PostgreSQL. Every read queries the database; in a server, the watch cache is in front of it. */
export class PostgresStore implements ObjectStore, ChangeSource {
  /** Maintains the log; commands and tests also call it directly. */
  readonly compactor: Compactor;
  readonly secrets: SecretRepository;
  /** Who held which lease. Its terms are objects of this store as well, which nobody else writes. */
  readonly terms: TermHistory;
  readonly states: StateRepository;
  readonly #database: Database;
  readonly #options: PostgresStoreOptions & typeof DEFAULT_STORE_OPTIONS;
  readonly #scheduler: Scheduler;
  readonly #lineage: Lineage;
  readonly #counters: CounterRepository;
  readonly #compaction: CompactionRepository;
  readonly #objects: ObjectRepository;
  readonly #historicalStates: HistoricalStateRepository;
  readonly #lists: ListReader;
  readonly #log: RevisionLogRepository;
  readonly #snapshots: SnapshotReader;
  readonly #commits: CommitQueue;
  readonly #wakes: WakeSignal;
  readonly #listener: ChangeListener | undefined;
  readonly #watches = new Set<QueuedWatch>();
  /** The newest revision that this process has seen. */
  #newest = 0;
  #closing: Promise<void> | undefined;

  /** Starts nothing; callers use `openPostgresStore`. */
  constructor(database: Database, options: PostgresStoreOptions, logger: Logger, scheduler: Scheduler = systemScheduler) {
    const channel = changesChannel(database.schema);
    const all = (this.#options = { ...DEFAULT_STORE_OPTIONS, channel, ...options });
    const segments = new KnownSegments();
    const lineage = (this.#lineage = new Lineage(database, logger, all.observer));
    const context = { lineage, segments };
    this.#database = database;
    this.#scheduler = scheduler;
    this.secrets = new SecretRepository(database);
    this.states = new StateRepository(database, all.stateLimits);
    this.#counters = new CounterRepository(database, lineage);
    this.#compaction = new CompactionRepository(database);
    this.#objects = new ObjectRepository(database);
    this.#historicalStates = new HistoricalStateRepository(database, context);
    this.#lists = new ListReader(this.#objects, this.#historicalStates);
    const log = { page: all.page, mostChanges: all.mostChanges };
    this.#log = new RevisionLogRepository(database, context, log);
    this.#snapshots = new SnapshotReader(database, context, all);
    const notified = () => (all.listen && this.#listener?.isAlone !== true ? all.channel : '');
    const batches = { channel: notified, terms: all.termHistoryMs > 0 };
    const sender = new BatchSender(database, this.#counters, batches, logger);
    const wake = () => this.#wakes.fire();
    const queue = {
      limits: { items: all.batchItems, bytes: all.batchBytes },
      writeRetryMs: all.writeRetryMs,
      commitDelayMs: all.commitDelayMs,
      onUnclear: wake,
      observer: all.observer,
      tracing: database.options.tracing,
    };
    const reads = { outcomes: new WriteOutcomeRepository(database), locks: new LockRepository(database) };
    this.#commits = new CommitQueue(sender, reads, queue, scheduler, logger);
    this.#wakes = new WakeSignal(scheduler, () => (this.#listener?.listening ? POLL_BESIDE_LISTEN : POLL_ALONE));
    const listen = { channel: all.channel, wake, isOwn: (processId: number) => sender.isOwn(processId) };
    if (all.listen && database.keepsSessions) this.#listener = new ChangeListener(database, listen, scheduler, logger);
    const { termHistoryMs: historyMs, termHistoryRows: historyRows, mostTerms } = all;
    const terms = { database, counters: this.#counters, context, scheduler, logger, historyMs, historyRows, mostTerms };
    this.terms = new TermHistory({ ...terms, channel: notified, committed: wake });
    this.compactor = new Compactor(database, { ...all, terms: this.terms.maintenance }, scheduler, logger);
    this.#commits.onCommitted(({ revision }) => this.#noteRevision(revision));
    lineage.onChange((moved) => {
      segments.forget();
      sender.forget(moved);
      if (moved) database.dropReads();
      if (moved) this.#listener?.reconnect();
      wake();
    });
  }

  /** Whether notifications of commits arrive; otherwise changes are found by polling. */
  get listening(): boolean {
    return this.#listener?.listening ?? false;
  }

  /** Number of writes waiting for a batch. */
  get queuedWrites(): number {
    return this.#commits.length;
  }

  /** The name and server of the database, for messages. */
  get place(): string {
    return this.#database.place;
  }

  get schema(): string {
    return this.#database.schema;
  }

  /** For metrics. */
  get connections(): PoolStatistics {
    return this.#database.connections;
  }

  /** The current lineage of revisions: its start, the gaps before it, and when this process found it. */
  get lineage(): Readonly<Pick<Lineage, 'start' | 'gaps' | 'foundAt'>> {
    return this.#lineage;
  }

  async start(): Promise<void> {
    this.#newest = (await this.#counters.current()).value;
    this.#listener?.start();
    if (this.#options.compaction) this.compactor.start();
  }

  /** Rejects with the reason if writes do not go through. */
  checkWrites(): Promise<void> {
    return this.#commits.check();
  }

  /** Finishes queued writes, then ends watches and connections. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** The store keeps no objects in memory. */
  suggest(): undefined {
    return undefined;
  }

  async get(key: ObjectKey, consistency: Consistency): Promise<{ object?: StoredObject; revision: number }> {
    const at = await this.#reach(consistency);
    if (key.resource === TERM_RESOURCE) return this.terms.reader.get(key, at);
    if (at === undefined) return this.#objects.get(key);
    const [object] = await this.#historicalStates.list(sqlRange(key), at, 1);
    return { object, revision: at };
  }

  async list(range: KeyRange, options: ListOptions): Promise<ListResult> {
    const at = await this.#reach(options.consistency);
    return (range.resource === TERM_RESOURCE ? this.terms.reader : this.#lists).list(range, options, at);
  }

  create(key: ObjectKey, value: ObjectValue, options: CreateOptions = {}): Promise<StoredObject> {
    return this.#write({ kind: 'A', key, value, container: options.container, requester: options.requester, term: value.term });
  }

  update(current: StoredObject, value: ObjectValue, requester?: Requester): Promise<StoredObject> {
    return this.#write({ kind: 'M', key: current.key, value, current, requester, term: value.term });
  }

  async delete(current: StoredObject, requester?: Requester, term?: TermChange): Promise<number> {
    const last = await this.#commits.submit({ kind: 'D', key: current.key, value: current, current, requester, term });
    return last.revision;
  }

  currentRevision(): Promise<number> {
    return this.#counters.revision();
  }

  /** Only a cache follows the history. */
  ageOf(): number {
    return 0;
  }

  async watch(range: KeyRange, options: WatchOptions, receive: WatchReceiver): Promise<Watch> {
    const request = { range, options, receive };
    try {
      if (!options.initialState) {
        const newest = await this.#counters.revision();
        const after = Number(options.after ?? newest);
        const gap = this.#lineage.gaps.around(after);
        if (gap) throw compactedError(after, gap.began);
        return this.#follow(this.#openWatch(request, after), Math.min(after, newest));
      }
      const { predicate, equal } = options;
      const initial = await this.list(range, { consistency: options.initialState, predicate, equal });
      const watch = this.#openWatch(request, initial.revision);
      for (const object of initial.objects) watch.push({ kind: 'event', event: { type: 'ADDED', revision: object.revision, object } });
      watch.push({ kind: 'bookmark', revision: initial.revision, initialEventsEnd: true });
      return this.#follow(watch, initial.revision);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code === 'Unavailable') throw error;
      const watch = this.#openWatch(request, 0);
      watch.push({ kind: 'error', error });
      return watch;
    }
  }

  loadSnapshot(historyMs: number): Promise<Snapshot> {
    return this.#snapshots.read(historyMs);
  }

  async readChanges(after: number, known?: KnownStates): Promise<Changes | 'compacted'> {
    const changes = await this.#log.changesAfter(after, known);
    if (changes !== 'compacted') this.#noteRevision(changes.revision);
    return changes;
  }

  compactedRevision(): Promise<number> {
    return this.#compaction.revision();
  }

  onWake(wake: () => void): () => void {
    return this.#wakes.subscribe(wake);
  }

  onCommitted(apply: (changes: Changes) => void): () => void {
    return this.#commits.onCommitted(apply);
  }

  async #close(): Promise<void> {
    for (const watch of this.#watches) watch.close();
    this.#wakes.stop();
    await this.terms.maintenance.stop();
    await this.#commits.close();
    await this.#listener?.stop();
    await this.compactor.stop();
    await this.#database.close();
  }

  #openWatch(request: { range: KeyRange; options: WatchOptions; receive: WatchReceiver }, after: number): QueuedWatch {
    const watch = new QueuedWatch(request, after, this.#scheduler, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  #follow(watch: QueuedWatch, after: number): QueuedWatch {
    feedWatch(watch, after, this);
    return watch;
  }

  #noteRevision(revision: number): void {
    this.#lineage.note(revision);
    if (revision <= this.#newest) return;
    this.#newest = revision;
    this.#wakes.noteChange();
  }

  /** Not async: every renewal passes through here, and the queue's promise is sufficient. */
  #write(request: WriteRequest): Promise<StoredObject> {
    const refusal = sizeRefusal(request.value, this.#options.objectBytes);
    return refusal ? Promise.reject(refusal) : this.#commits.submit(request);
  }

  /** Waits for a minimum revision. Returns an exact one, which may turn out to be compacted or in the future when it is read. */
  async #reach(consistency: Consistency): Promise<number | undefined> {
    if (consistency.kind === 'exact') return this.#exactRevision(consistency.revision);
    if (consistency.kind === 'notOlderThan' && consistency.revision > this.#newest) await this.#waitFor(consistency.revision);
    return undefined;
  }

  async #exactRevision(revision: bigint): Promise<number> {
    if (revision <= this.#newest) return Number(revision);
    const newest = await this.#counters.revision();
    this.#noteRevision(newest);
    if (revision > newest) throw tooLargeRevisionError(revision, newest);
    return Number(revision);
  }

  async #waitFor(revision: bigint): Promise<void> {
    const deadline = this.#scheduler.now() + MINIMUM_REVISION_WAIT_MS;
    for (;;) {
      const newest = await this.#counters.revision();
      this.#noteRevision(newest);
      if (revision <= newest) return;
      if (this.#scheduler.now() >= deadline) throw tooLargeRevisionError(revision, newest);
      await sleep(this.#scheduler, REVISION_POLL_MS);
    }
  }
}
