import type { Logger } from 'pino';
import type { Database } from '../../database/database.js';
import { isLimitExceeded, isLockTimeout, isReadOnly, isTransient, isUnclear, toStorageError } from '../../database/session/pg-errors.js';
import { type BatchOptions, type BatchResult, type Sequels, batchResult, batchStatement } from './batch-statement.js';
import type { CounterRepository, CounterState } from '../lineage/counter.repository.js';
import type { PendingWrite } from './pending-write.js';
import { WriterConnection } from './writer-connection.js';

/** Each try either commits, or has no effect because the segment or the lineage changed at that moment. */
const MAX_TRIES = 10;
/** How long commits send no notifications after the notification queue was full. */
const QUIET_MS = 10_000;
/** How long batches are sent without sequels after those have waited for a lock in vain, with the counter locked. */
const WITHOUT_SEQUELS_MS = 10_000;
/** How often it is logged that sequels cannot be recorded. */
const SEQUELS_LOGGED_MS = 60_000;

/** The result of a batch was lost: the batch may have been committed, or may still be. */
export class UnclearOutcome extends Error {
  constructor(
    /** The counter before the batch was sent. */
    readonly since: CounterState,
    cause: unknown,
  ) {
    super('the outcome of a batch is not known', { cause });
  }
}

/** Some writes of a batch are based on state that the database may have lost. Nothing of the batch was sent. */
export class LostPremise extends Error {
  constructor(readonly writes: ReadonlySet<PendingWrite>) {
    super('a write follows from reads of an earlier lineage');
  }
}

/** The database could not be reached before the batch was sent, or sent again after a try without effect. */
export class NotSent extends Error {
  constructor(cause: unknown) {
    super('a batch was not sent', { cause });
  }
}

/** Settings of a BatchSender. */
export interface BatchSenderOptions {
  /** NOTIFY channel; empty sends none. */
  readonly channel: () => string;
  /** Absent: what writes lead to is not recorded. */
  readonly sequels: Sequels | undefined;
}

/** Sends batches, one at a time, and tracks the state of the counter. */
export class BatchSender {
  readonly #counters: CounterRepository;
  readonly #connection: WriterConnection;
  readonly #keepsSessions: boolean;
  readonly #options: BatchSenderOptions;
  readonly #logger: Logger;
  #counter: CounterState | undefined;
  /** Until when commits send no notifications, in milliseconds of the wall clock. */
  #quietUntil = 0;
  #sequelsLogged = -Infinity;
  /** Until when batches are sent without sequels, in milliseconds of the wall clock. */
  #withoutSequelsUntil = 0;

  constructor(database: Database, counters: CounterRepository, options: BatchSenderOptions, logger: Logger) {
    this.#counters = counters;
    this.#connection = new WriterConnection(database, logger);
    this.#keepsSessions = database.keepsSessions;
    this.#options = options;
    this.#logger = logger;
  }

  /** The server process that executes the batches; undefined behind a pooler. */
  get processId(): number | undefined {
    return this.#keepsSessions ? this.#connection.processId : undefined;
  }

  /** Whether this server process is the one that executes the batches. */
  isOwn(processId: number): boolean {
    return processId === this.#connection.processId;
  }

  /** Ensures that a batch can be sent. */
  async open(): Promise<void> {
    try {
      // First, since it may find that connections have to be closed.
      this.#counter ??= await this.#counters.current();
      await this.#connection.open();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Resolves if the database answers, though perhaps no batch. */
  ping(): Promise<void> {
    return this.#counters.ping();
  }

  /** Rejects with the reason if nothing can be written. */
  check(): Promise<void> {
    return this.#connection.check();
  }

  /** Rejects with UnclearOutcome, or with an error after which nothing of the batch took effect, such as LostPremise and NotSent. */
  async send(batch: readonly PendingWrite[]): Promise<BatchResult> {
    let { sequels } = this.#options;
    if (Date.now() < this.#withoutSequelsUntil && sequels?.of(batch)) {
      sequels.lost();
      sequels = undefined;
    }
    for (let tries = 1; ; tries++) {
      const counter = await this.#ready(tries);
      // Checked for each try: a try without effect may mean that the database was replaced by an earlier copy.
      this.#checkPremises(batch);
      const result = await this.#try(batch, { counter, channel: this.#channelNow(), sequels }, tries < MAX_TRIES);
      if (result && result !== 'sequels failed') {
        this.#counter = { ...counter, value: result.last };
        return result;
      }
      if (result === 'sequels failed') {
        sequels?.lost();
        sequels = undefined;
      }
      this.#counter = undefined;
      if (tries >= MAX_TRIES) throw toStorageError(new Error('the revision counter keeps changing'));
    }
  }

  /** Returns the counter once the connection is open. Rejects with NotSent. */
  async #ready(tries: number): Promise<CounterState> {
    try {
      // If a second try had no effect, the cause was not a new segment: reads may lead to another copy than this connection.
      if (tries > 2) await this.#counters.lookAnew();
      this.#counter ??= await this.#counters.current();
      if (!this.#connection.isOpen) await this.#connection.open();
      return this.#counter;
    } catch (error) {
      throw new NotSent(error);
    }
  }

  /** Forgets state of the lineage. With `connection`, also closes the connection; a batch in flight then has an unclear outcome. */
  forget(connection: boolean): void {
    this.#counter = undefined;
    if (connection) this.#connection.abandon();
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** The lineage that is checked is the batch's own, or a later one, in which the batch has no effect. */
  #checkPremises(batch: readonly PendingWrite[]): void {
    const lost = batch.filter(({ requester }) => requester?.premise !== undefined && this.#counters.hasBegunSince(requester.premise));
    if (lost.length > 0) throw new LostPremise(new Set(lost));
  }

  #channelNow(): string {
    return this.#quietUntil > Date.now() ? '' : this.#options.channel();
  }

  /** Undefined where another try is due. */
  async #try(batch: readonly PendingWrite[], options: BatchOptions, again: boolean): Promise<BatchResult | 'sequels failed' | undefined> {
    const { counter, channel, sequels } = options;
    const { statement, values, revisions } = batchStatement(batch, options);
    try {
      return batchResult(await this.#connection.run(statement, values), revisions, sequels);
    } catch (error) {
      if (isUnclear(error)) {
        this.#counter = undefined;
        throw new UnclearOutcome(counter, error);
      }
      if (isTransient(error) && again) return undefined;
      if (again && channel && isLimitExceeded(error)) {
        this.#goQuiet(error);
        return undefined;
      }
      if (isReadOnly(error)) this.#counter = undefined;
      else if (again && statement === sequels?.statement && sequels.explain(error)) return this.#doWithoutSequels(error);
      throw error;
    }
  }

  /** A failure to record what writes lead to never fails a write; a comparison with the leases repairs it soon. */
  #doWithoutSequels(err: unknown): 'sequels failed' {
    const now = Date.now();
    if (isLockTimeout(err)) this.#withoutSequelsUntil = now + WITHOUT_SEQUELS_MS;
    const isNews = now - this.#sequelsLogged >= SEQUELS_LOGGED_MS;
    if (isNews) this.#sequelsLogged = now;
    this.#logger[isNews ? 'error' : 'debug']({ err }, 'terms cannot be recorded: batches are sent without them');
    return 'sequels failed';
  }

  /** Stops notifications for a while; other servers find the changes by polling. */
  #goQuiet(err: unknown): void {
    this.#quietUntil = Date.now() + QUIET_MS;
    this.#logger.warn({ err }, `the notification queue is full: no notifications of commits for ${QUIET_MS} ms`);
  }
}
