import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { Tracing } from '../../../telemetry/tracing/tracing.js';
import type { Changes } from '../../change-source.js';
import { Backoff } from '../../../time/backoff.js';
import { isCancelled, isLockTimeout, isReadOnly, isValueError, toStorageError } from '../../database/session/pg-errors.js';
import { objectPath } from '../../object-path.js';
import type { StoredObject, StoreEvent } from '../../object-store.js';
import { type Scheduler, sleep } from '../../../time/scheduler.js';
import { StorageError } from '../../storage-errors.js';
import { type PendingWrite, type WriteRequest, abandon, eventOf, isAbandoned, lockName, refuseLost, stateAfter } from './pending-write.js';
import { type LockRepository, BlockedWrites, CounterWatch } from './blocked-writes.js';
import { type BatchLimits, CommitDelay, WaitingWrites } from './waiting-writes.js';
import { type BatchSender, LostPremise, NotSent, UnclearOutcome } from './batch-sender.js';
import type { BatchResult } from './batch-statement.js';
import { type WriteOutcomeRepository, UnsettledWrites } from './unsettled-writes.js';
import { WriteOutage, WriterHealth } from './writer-health.js';

/** Receives events of a commit queue, for metrics. Callbacks must not throw. */
export interface CommitObserver {
  /** A batch was committed; `refused` of its writes had no effect. `waitedMs`: how long the oldest of them had waited. */
  committed?(batch: { readonly writes: number; readonly refused: number; readonly waitedMs: number; readonly tookMs: number }): void;
  /** A batch failed, or its result was lost with the connection. */
  failed?(outcome: 'failed' | 'unclear'): void;
  /** A session, or its statement, was ended, because all writes waited for it. */
  endedHolder?(): void;
}

export interface CommitQueueOptions {
  readonly limits: BatchLimits;
  /** How long a write waits for an unreachable database. */
  readonly writeRetryMs: number;
  /** How long writes that may wait (ObjectValue) do, where others are likely to share their commit; 0: not at all. */
  readonly commitDelayMs: number;
  /** Called if a batch may have been committed without a call of `onCommitted`. */
  readonly onUnclear: () => void;
  readonly observer?: CommitObserver | undefined;
  readonly tracing?: Tracing | undefined;
}

/** What a commit queue reads outside its batches. */
export interface CommitQueueReads {
  readonly outcomes: WriteOutcomeRepository;
  readonly locks: LockRepository;
}

/** How many parts of a failed batch are tried in vain, one after another. Enough to find a few bad writes among thousands. */
const MAX_IN_VAIN = 40;

/** Estimated size of a write besides its data. */
const ITEM_BYTES = 300;

/**
 * Group commit. Writes that arrive while a batch is in flight form the next one. A lone write is sent at once; renewals wait for a moment
 * where others are likely to come (waiting-writes.ts).
 *
 * One batch is in flight at a time, so `onCommitted` is called in order, and each batch's snapshot contains every write that was
 * acknowledged before. A write is settled exactly once: with the state that it created, or with the reason for its failure.
 *
 * A write whose requester's deadline has passed is rejected before it is sent. If it was sent in time, it has no effect once the deadline
 * passes while the batch waits for the counter (batch-statement.ts).
 *
 *     queued ── batch sent ──┬─ took effect ──────────────────────────► resolved
 *                            ├─ refused ── reason read ───────────────► rejected (or queued again: the reason is gone)
 *                            ├─ too late ─────────────────────────────► rejected Abandoned
 *                            ├─ lineage began since its first read ───► rejected Abandoned
 *                            ├─ failed, certainly without effect ─────► halves sent, or rejected Unavailable
 *                            ├─ its row is locked by another session ─► waits beside the batches, then queued again, or rejected Unavailable
 *                            └─ result lost ── looked up in the log ──► resolved, rejected, or queued again
 */
export class CommitQueue {
  readonly #sender: BatchSender;
  readonly #refusals: UnsettledWrites;
  readonly #blocked: BlockedWrites;
  readonly #locks: LockRepository;
  readonly #counter: CounterWatch;
  readonly #options: CommitQueueOptions;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #backoff = new Backoff(50, 1_000);
  readonly #health: WriterHealth;
  readonly #outage: WriteOutage;
  readonly #subscribers = new Set<(changes: Changes) => void>();
  readonly #background = new Set<Promise<void>>();
  readonly #queue = new WaitingWrites();
  readonly #delay: CommitDelay;
  #running: Promise<void> | undefined;
  /** Settles the writes of the batch before. */
  #finishing: Promise<void> | undefined;
  #closed = false;
  /** Starts at random, so that no two processes use the same tokens at a time. */
  #nextToken = randomInt(2 ** 47);

  constructor(
    sender: BatchSender,
    { outcomes, locks }: CommitQueueReads,
    options: CommitQueueOptions,
    scheduler: Scheduler,
    logger: Logger,
  ) {
    this.#sender = sender;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#delay = new CommitDelay(options.commitDelayMs, scheduler);
    this.#health = new WriterHealth(scheduler);
    this.#outage = new WriteOutage(scheduler, () => this.#look(), {
      answersOthers: () => sender.ping(),
      silent: (error) => this.#expire(error),
    });
    this.#logger = logger;
    const { writeRetryMs } = options;
    const retry = (write: PendingWrite) => this.#enqueue(write);
    this.#refusals = new UnsettledWrites(outcomes, { scheduler, writeRetryMs, retry });
    this.#locks = locks;
    const inFlightMs = () => this.#health.inFlightMs;
    const ended = () => options.observer?.endedHolder?.();
    this.#counter = new CounterWatch(locks, { scheduler, logger, inFlightMs, writer: () => sender.processId, ended });
    this.#blocked = new BlockedWrites(locks, { scheduler, logger, writeRetryMs, retry, inBackground: (work) => this.#inBackground(work) });
  }

  /** Calls back with each batch of this process, in order, before its writers get their results. */
  onCommitted(apply: (changes: Changes) => void): () => void {
    this.#subscribers.add(apply);
    return () => this.#subscribers.delete(apply);
  }

  /** Number of writes waiting for a batch. */
  get length(): number {
    return this.#queue.length;
  }

  /** Rejects with the reason if the last write failed, if one hangs, if writes are refused, or if the database would accept none. */
  async check(): Promise<void> {
    this.#health.check();
    if (!this.#health.isBusy) await this.#sender.check();
    const refusal = this.#outage.refusal();
    if (refusal) throw refusal;
  }

  /**
   * Resolves with the state that the write created (for a deletion: the last one, with the deletion's revision); rejects with a
   * StorageError, at once during a known outage.
   */
  submit(request: WriteRequest): Promise<StoredObject> {
    const refusal = this.#outage.refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const { container, key, value } = request;
      const path = objectPath(key);
      this.#enqueue({
        ...request,
        path,
        lock: lockName(key.resource, path),
        containerLock: container && lockName(container.resource, objectPath(container)),
        token: this.#nextToken++,
        bytes: ITEM_BYTES + value.data.length,
        since: this.#scheduler.now(),
        trace: this.#options.tracing?.current(),
        resolve,
        reject,
        attempts: 0,
      });
    });
  }

  /** Finishes queued writes, as far as the database responds. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#delay.end();
    this.#outage.stop();
    this.#blocked.close();
    while (this.#running || this.#background.size > 0) await Promise.all([this.#running, ...this.#background]);
    await this.#sender.close();
  }

  #enqueue(write: PendingWrite): void {
    if (this.#closed) return write.reject(new StorageError('Unavailable', 'the store is closed'));
    if (this.#blocked.includes(write)) return this.#blocked.add(write);
    this.#queue.add(write);
    this.#delay.arrived(write, this.#queue);
    // Writes that arrive in this turn of the event loop share the first batch.
    this.#running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#run());
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const delay = this.#closed ? undefined : this.#delay.before(this.#queue);
      if (delay) await delay;
      if (!(await this.#canSend())) continue;
      const batch = this.#queue.next(this.#options.limits);
      await this.#commit(this.#blocked.length > 0 ? await this.#withoutBlocked(batch) : batch);
    }
    this.#running = undefined;
  }

  async #canSend(): Promise<boolean> {
    this.#outage.asked();
    try {
      await this.#sender.open();
      // The first commit afterwards may take long, for want of a standby. Other writes wait for it like any commit.
      this.#outage.ended();
      return true;
    } catch (error) {
      this.#logger.warn({ err: error, waiting: this.#queue.length }, 'cannot write to the database');
      await this.#waitForDatabase(error);
      return false;
    }
  }

  /** Rejects the writes that have waited for `writeRetryMs`, and keeps the others for another attempt after a delay. */
  async #waitForDatabase(error: unknown): Promise<void> {
    this.#outage.failed(error);
    this.#expire(error);
    if (this.#queue.length > 0) await sleep(this.#scheduler, this.#backoff.next());
  }

  /** Rejects if writes are impossible. A commit under way will show whether they are. */
  async #look(): Promise<void> {
    if (this.#health.isBusy) throw new Error('a commit is under way');
    await this.#sender.check();
  }

  #expire(error: unknown): void {
    const oldest = this.#closed ? Infinity : this.#scheduler.now() - this.#options.writeRetryMs;
    const now = performance.now();
    for (const write of this.#queue.takeAll()) {
      if (isAbandoned(write, now)) abandon(write);
      else if (write.since <= oldest) write.reject(error);
      else this.#queue.add(write);
    }
  }

  /** `tries` counts the parts of a batch that failed since the last one that did not. */
  async #commit(batch: PendingWrite[], tries = { inVain: 0 }): Promise<void> {
    // All of them may have been abandoned, or be blocked.
    if (batch.length === 0) return;
    const { observer } = this.#options;
    const sent = this.#scheduler.now();
    this.#health.sent();
    this.#outage.asked();
    this.#counter.watch();
    try {
      const result = await this.#send(batch);
      await this.#finishing;
      this.#backoff.reset();
      tries.inVain = 0;
      this.#health.committed();
      this.#outage.ended();
      this.#queue.took(batch, this.#scheduler.now() - sent);
      this.#tellCommitted(batch, result, sent);
      this.#finishSoon(batch, result);
    } catch (error) {
      this.#answeredWith(error);
      if (error instanceof UnclearOutcome) {
        observer?.failed?.('unclear');
        this.#outage.failed(error);
        this.#logger.warn({ err: toStorageError(error.cause), writes: batch.length }, 'lost the database connection during a commit');
        this.#options.onUnclear();
        this.#inBackground(this.#refusals.findOut(batch, error.since));
      } else if (error instanceof LostPremise) {
        for (const write of error.writes) refuseLost(write);
        this.#queue.putBack(batch.filter((write) => !error.writes.has(write)));
      } else if (error instanceof NotSent) {
        this.#logger.warn({ err: error.cause, waiting: batch.length + this.#queue.length }, 'cannot write to the database');
        this.#queue.putBack(batch);
        await this.#waitForDatabase(toStorageError(error.cause));
      } else if (isReadOnly(error) || isCancelled(error)) {
        this.#logger.warn({ err: error, writes: batch.length }, 'the database did not accept a batch');
        this.#queue.putBack(batch);
        await this.#waitForDatabase(toStorageError(error));
      } else if (isLockTimeout(error)) {
        await this.#commitWithoutBlocked(batch, error, tries);
      } else {
        tries.inVain += 1;
        await this.#commitInHalves(batch, error, tries);
      }
    }
  }

  #answeredWith(error: unknown): void {
    this.#health.answered();
    if (!(error instanceof UnclearOutcome || error instanceof NotSent)) this.#outage.answered();
  }

  /** Whatever the error: if it is due to some writes of the batch, only they fail. */
  async #commitInHalves(batch: PendingWrite[], error: unknown, tries: { inVain: number }): Promise<void> {
    if (batch.length > 1 && tries.inVain < MAX_IN_VAIN) {
      await this.#commit(batch.slice(0, batch.length / 2), tries);
      await this.#commit(batch.slice(batch.length / 2), tries);
      return;
    }
    this.#options.observer?.failed?.('failed');
    if (!isValueError(error)) for (const { lock } of batch) this.#health.refused(lock, error);
    this.#logger.error({ err: error, writes: batch.length, first: batch[0]?.lock }, 'the database rejected a commit');
    for (const write of batch) write.reject(toStorageError(error));
  }

  /** While rows are locked, a batch leaves those out; others that are locked would hold it up. */
  #withoutBlocked(batch: PendingWrite[]): Promise<PendingWrite[]> {
    return this.#blocked.takeFrom(batch).catch(() => batch);
  }

  /**
   * A batch has waited for a lock for too long. If that is no table's, for which all writes wait, and no row of it is locked, another
   * transaction may have inserted one of them and not ended.
   */
  async #commitWithoutBlocked(batch: PendingWrite[], error: unknown, tries: { inVain: number }): Promise<void> {
    const free = await this.#withoutBlocked(batch);
    if (free.length < batch.length) return this.#commit(free, tries);
    const holders = await this.#locks.holdersOfTables().catch((err: unknown): string[] => [String(err)]);
    if (holders.length === 0) {
      tries.inVain += 1;
      return this.#commitInHalves(batch, error, tries);
    }
    this.#options.observer?.failed?.('failed');
    this.#health.failed(error);
    this.#logger.warn({ err: error, writes: batch.length, holders }, 'other sessions have locked tables; all writes wait');
    this.#queue.putBack(batch);
    await this.#waitForDatabase(toStorageError(error));
  }

  /** Writes that wait are sent first, so that the database works on them meanwhile. */
  #finishSoon(batch: PendingWrite[], result: BatchResult): void {
    if (this.#queue.length === 0) return this.#finish(batch, result);
    this.#finishing = new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#finish(batch, result));
    this.#inBackground(this.#finishing);
  }

  #finish(batch: PendingWrite[], { base, last, applied, sequels }: BatchResult): void {
    const events: StoreEvent[] = [];
    const done: { write: PendingWrite; object: StoredObject }[] = [];
    const refused: PendingWrite[] = [];
    batch.forEach((write, i) => {
      if (!applied(i + 1)) return refused.push(write);
      const object = stateAfter(write, base + i + 1);
      events.push(eventOf(write, object));
      done.push({ write, object });
    });
    for (const event of sequels) events.push(event);
    const changes: Changes = { after: base, revision: last, events };
    for (const apply of this.#subscribers) this.#tell(apply, changes);
    for (const { write, object } of done) write.resolve(object);
    if (refused.length > 0) this.#inBackground(this.#refusals.explain(refused));
  }

  /** Runs in the trace of its first write, linked to those of the others. */
  #send(batch: readonly PendingWrite[]): Promise<BatchResult> {
    const { tracing } = this.#options;
    if (!tracing) return this.#sender.send(batch);
    const [parent, ...links] = batch.flatMap(({ trace }) => trace ?? []);
    if (!parent) return this.#sender.send(batch);
    const attributes = { 'coordination.batch.writes': batch.length };
    return tracing.step('commit batch', attributes, () => this.#sender.send(batch), { parent, links });
  }

  #tellCommitted(batch: readonly PendingWrite[], { applied }: BatchResult, sent: number): void {
    const { observer } = this.#options;
    if (!observer?.committed) return;
    let oldest = sent;
    let refused = 0;
    batch.forEach(({ since }, at) => {
      if (since < oldest) oldest = since;
      if (!applied(at + 1)) refused += 1;
    });
    observer.committed({ writes: batch.length, refused, waitedMs: sent - oldest, tookMs: this.#scheduler.now() - sent });
  }

  /** A failing follower must not fail the writers. */
  #tell(apply: (changes: Changes) => void, changes: Changes): void {
    try {
      apply(changes);
    } catch (error) {
      this.#logger.error({ err: error }, 'a follower of commits failed');
    }
  }

  #inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }
}
