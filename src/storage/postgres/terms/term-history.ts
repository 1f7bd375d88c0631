import type { Logger } from 'pino';
import type { Database } from '../../database/database.js';
import type { Scheduler } from '../../../time/scheduler.js';
import type { CounterRepository } from '../lineage/counter.repository.js';
import { TERM_RESOURCE } from '../../term-change.js';
import type { LogContext } from '../log/revision-log.repository.js';
import type { Sequels } from '../write/sequels.js';
import { Lapses } from './lapses.js';
import { TermComparison } from './term-comparison.js';
import { TermMaintenance } from './term-maintenance.js';
import { type TermObserver, termSequels } from './term-sequels.js';
import { TermReader } from './term-reader.js';
import type { TermRetentionOptions } from './retain-terms.js';
import { type TermWriterOptions, TermWriter } from './term-writer.js';

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
