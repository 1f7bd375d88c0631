import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { isLimitExceeded, isReadOnly, isTransient, isUnclear, toStorageError } from '../database/pg-errors.js';
import type { BatchResult } from './batch-statement.js';
import { batchResult, batchStatement } from './batch-statement.js';
import type { CounterState } from './counter-state.js';
import type { CounterRepository } from './counter.repository.js';
import type { PendingWrite } from './pending-write.js';
import { WriterConnection } from './writer-connection.js';

/** Each try either commits, or comes to nothing because the segment or the lineage changed just then. */
const MOST_TRIES = 10;
/** How long no commit is notified after the queue of notifications was full. */
const QUIET_MS = 10_000;

/** The answer to a batch was lost: it may have been committed, and may still be. */
export class UnclearOutcome extends Error {
  constructor(
    /** The counter before the batch was sent. */
    readonly since: CounterState,
    cause: unknown,
  ) {
    super('the outcome of a batch is not known', { cause });
  }
}

/** Sends batches, one at a time, and keeps what is known of the counter. */
export class BatchSender {
  readonly #counters: CounterRepository;
  readonly #connection: WriterConnection;
  readonly #channel: string;
  readonly #logger: Logger;
  #counter: CounterState | undefined;
  /** Until when commits notify nobody, by the wall clock. */
  #quietUntil = 0;

  /** `channel` is notified of each commit; empty: none is. */
  constructor(database: Database, counters: CounterRepository, channel: string, logger: Logger) {
    this.#counters = counters;
    this.#connection = new WriterConnection(database, logger);
    this.#channel = channel;
    this.#logger = logger;
  }

  /** Whether this server process is the one that carries out the batches. */
  isOwn(processId: number): boolean {
    return processId === this.#connection.processId;
  }

  /** Makes sure that a batch can be sent. */
  async open(): Promise<void> {
    try {
      // first, since it may find that connections are to be given up
      this.#counter ??= await this.#counters.current();
      await this.#connection.open();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Rejects with the reason where nothing can be written. */
  check(): Promise<void> {
    return this.#connection.check();
  }

  /** Rejects with UnclearOutcome, or with an error that says that nothing of the batch took effect. */
  async send(batch: readonly PendingWrite[]): Promise<BatchResult> {
    for (let tries = 1; ; tries++) {
      const counter = (this.#counter ??= await this.#counters.current());
      if (!this.#connection.isOpen) await this.#connection.open();
      const result = await this.#try(batch, counter, tries < MOST_TRIES);
      if (result) {
        this.#counter = { ...counter, value: result.base + batch.length };
        return result;
      }
      this.#counter = undefined;
      if (tries >= MOST_TRIES) throw toStorageError(new Error('the revision counter does not come to rest'));
      // not a new segment: reads may lead to another copy than this connection
      if (tries > 1) await this.#counters.lookAnew();
    }
  }

  /** Forgets what belongs to a lineage. A batch that is on its way over a connection that is given up has an unclear outcome then. */
  forget(connection: boolean): void {
    this.#counter = undefined;
    if (connection) this.#connection.abandon();
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #try(batch: readonly PendingWrite[], counter: CounterState, again: boolean): Promise<BatchResult | undefined> {
    const channel = this.#quietUntil > Date.now() ? '' : this.#channel;
    const { statement, values } = batchStatement(batch, counter, channel);
    try {
      return batchResult(await this.#connection.run(statement, values));
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
      throw error;
    }
  }

  /** Others find the changes by polling. */
  #goQuiet(err: unknown): void {
    this.#quietUntil = Date.now() + QUIET_MS;
    this.#logger.warn({ err }, `a commit cannot be notified: nobody is for ${QUIET_MS} ms`);
  }
}
