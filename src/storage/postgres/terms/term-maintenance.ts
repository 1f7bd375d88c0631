import type { Logger } from 'pino';
import type pg from 'pg';
import type { Scheduler } from '../../scheduler.js';
import type { TermComparison } from './term-comparison.js';
import type { TermRetentionOptions } from './term-retention.js';
import { TermRetention } from './term-retention.js';

/** What maintenance of terms needs. */
export interface TermMaintenanceOptions extends TermRetentionOptions {
  readonly comparison: TermComparison;
  readonly schema: () => string;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/** How often terms are compared with leases; also at the first turn of a process. */
const COMPARISON_MS = 3_600_000;

/** What is done for terms with each turn of maintenance of the log. */
export class TermMaintenance {
  readonly #options: TermMaintenanceOptions;
  #comparedAt = -Infinity;
  #stopped = false;

  constructor(options: TermMaintenanceOptions) {
    this.#options = options;
  }

  /** Answers how many terms that have ended are kept. */
  async maintain(client: pg.ClientBase): Promise<number> {
    const kept = await new TermRetention(client, this.#options.schema(), this.#options).maintain();
    await this.#compareWhenDue();
    return kept;
  }

  /** A comparison that is under way ends after its page. */
  stop(): void {
    this.#stopped = true;
  }

  async #compareWhenDue(): Promise<void> {
    const { historyMs, scheduler, comparison, logger } = this.#options;
    if (historyMs === 0 || scheduler.now() - this.#comparedAt < COMPARISON_MS) return;
    const corrected = await comparison.run(() => this.#stopped);
    this.#comparedAt = scheduler.now();
    if (corrected > 0) logger.info({ corrected }, 'terms were corrected by a comparison with the leases');
  }
}
