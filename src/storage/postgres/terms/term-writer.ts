import type { Database } from '../../database/database.js';
import type { LapseChange } from '../../term-change.js';
import { StorageError } from '../../storage-errors.js';
import type { CounterRepository } from '../lineage/counter.repository.js';
import { CHANGE_TERMS, REVISIONS_OF_A_CHANGE } from './change-terms.js';

/** A change of a term that no write of its lease makes, as `lease_change_terms` takes it. */
export interface TermCorrection {
  readonly namespace: string;
  readonly lease: string;
  /** The revision that the lease must still have; 0: it must not exist. */
  readonly lease_revision: number;
  readonly [field: string]: string | number | undefined;
}

/** What writers of terms share. */
export interface TermWriterOptions {
  /** NOTIFY channel; empty sends none. */
  readonly channel: () => string;
  /** Called after each commit: this process reads it as it reads those of others. */
  readonly committed: () => void;
}

/** A try without effect means that the segment or the lineage changed just then. */
const MAX_TRIES = 5;

/** Changes terms outside the writes of leases: by what a comparison with the leases finds, and as holders are late. */
export class TermWriter {
  readonly #database: Database;
  readonly #counters: CounterRepository;
  readonly #options: TermWriterOptions;

  constructor(database: Database, counters: CounterRepository, options: TermWriterOptions) {
    this.#database = database;
    this.#counters = counters;
    this.#options = options;
  }

  /** Answers the paths of the terms that were changed. StorageError Unavailable: some may have. */
  async change(changes: readonly (TermCorrection | LapseChange)[]): Promise<string[]> {
    if (changes.length === 0) return [];
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { segment, lineage } = await this.#counters.current();
      const values = [changes.length * REVISIONS_OF_A_CHANGE, segment, this.#options.channel(), lineage, JSON.stringify(changes)] as const;
      const rows = await this.#database.query(CHANGE_TERMS, values, { isDurable: true });
      if (rows.length === 0) continue;
      this.#options.committed();
      return rows.flatMap(({ path }) => path ?? []);
    }
    throw new StorageError('Unavailable', 'the revision counter does not come to rest');
  }
}
