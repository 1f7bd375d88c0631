import type pg from 'pg';
import type { Logger } from 'pino';
import type { Scheduler } from '../../../time/scheduler.js';
import type { Database } from '../../database/database.js';
import { TERM_RESOURCE } from '../../term-change.js';
import type { CounterRepository } from '../lineage/counter.repository.js';
import type { LogContext } from '../log/revision-log.repository.js';
import type { Sequels } from '../write/batch-statement.js';
import { Lapses } from './lapses.js';
import { type TermRetentionOptions, retainTerms } from './retain-terms.js';
import { TermComparison } from './term-comparison.js';
import { TermReader } from './term-reader.js';
import { type TermObserver, type TermWriterOptions, TermWriter, termSequels } from './term-writer.js';

/** What the history of terms is made of. */
export interface TermHistoryOptions extends TermRetentionOptions, TermWriterOptions {
  readonly database: Database;
  readonly counters: CounterRepository;
  readonly context: LogContext;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly observer: TermObserver;
  /** The most terms that one list looks at. */
  readonly maxTerms: number;
}

/** All that the store has for terms. */
export class TermHistory {
  readonly resource = TERM_RESOURCE;
  /** Absent where none are recorded. */
  readonly sequels: Sequels | undefined;
  readonly reader: TermReader;
  /** Tests also run it directly. */
  readonly comparison: TermComparison;
  readonly maintenance: TermMaintenance;
  readonly lapses: Lapses;

  constructor(options: TermHistoryOptions) {
    const { database, counters, context, scheduler, maxTerms, historyMs, observer } = options;
    this.sequels = historyMs > 0 ? termSequels(observer, () => this.maintenance.compareSoon()) : undefined;
    this.reader = new TermReader(database, context, maxTerms);
    const writer = new TermWriter(database, counters, options);
    this.comparison = new TermComparison(database, writer, scheduler);
    this.lapses = new Lapses(database, writer);
    this.maintenance = new TermMaintenance({ ...options, comparison: this.comparison });
  }
}

/** What maintenance of terms needs. */
export interface TermMaintenanceOptions extends TermRetentionOptions {
  readonly comparison: TermComparison;
  readonly database: Database;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * How often terms are compared with leases: at the first turns of a process and after corrections once a minute, because a server of a version
 * without terms may still be taking leases over; then more and more rarely.
 */
const FIRST_COMPARISON_MS = 50_000;
const LONGEST_COMPARISON_MS = 3_600_000;

/** What is done for terms with each turn of maintenance of the log: every process compares, the one that maintains the log drops old ones. */
export class TermMaintenance {
  readonly #options: TermMaintenanceOptions;
  #comparedAt = -Infinity;
  #intervalMs = FIRST_COMPARISON_MS;
  #comparing: Promise<void> | undefined;
  #stopped = false;

  constructor(options: TermMaintenanceOptions) {
    this.#options = options;
  }

  /** Answers how many terms that have ended are kept. */
  maintain(client: pg.ClientBase): Promise<number> {
    return retainTerms(client, this.#options.database.schema, this.#options);
  }

  /** Resolves once a comparison that is under way has ended, after its page. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#comparing;
  }

  /** Beside the maintenance of the log, which does not wait for it: with many leases it takes minutes. */
  compareWhenDue(): void {
    const { historyMs, scheduler, logger } = this.#options;
    if (this.#stopped || historyMs === 0 || scheduler.now() - this.#comparedAt < this.#intervalMs) return;
    this.#comparing ??= this.#compare()
      .catch((err: unknown) => logger.warn({ err }, 'cannot compare terms with the leases; trying again'))
      .finally(() => (this.#comparing = undefined));
  }

  /** Called when this process could not record terms. */
  compareSoon(): void {
    this.#intervalMs = FIRST_COMPARISON_MS;
  }

  async #compare(): Promise<void> {
    const { scheduler, comparison, logger } = this.#options;
    const corrected = await comparison.run(() => this.#stopped);
    this.#comparedAt = scheduler.now();
    this.#intervalMs = corrected > 0 ? FIRST_COMPARISON_MS : Math.min(2 * this.#intervalMs, LONGEST_COMPARISON_MS);
    if (corrected > 0) logger.info({ corrected }, 'corrected terms that differed from the leases');
  }
}
