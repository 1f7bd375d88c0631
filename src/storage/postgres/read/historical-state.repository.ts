import type { Database } from '../../database/database.js';
import type { StoredObject } from '../../object-store.js';
import type { LogContext } from '../log/revision-log.repository.js';
import { optionalObjectOf } from '../rows/object-row.js';
import { COUNT_HISTORICAL_STATES, LIST_HISTORICAL_STATES } from './historical-state-statements.js';
import type { SqlRange } from './sql-range.js';

/** States at earlier revisions, composed of the newest states and the log. */
export class HistoricalStateRepository {
  readonly #database: Database;
  readonly #context: LogContext;

  constructor(database: Database, context: LogContext) {
    this.#database = database;
    this.#context = context;
  }

  /** The first objects of a range at a revision. StorageError Compacted, TooLargeRevision, TooManyReads, Unavailable. */
  async list(range: SqlRange, revision: number, limit?: number): Promise<StoredObject[]> {
    const rows = await this.#context.lineage.settledAt(revision, (flushes) =>
      this.#database.query(LIST_HISTORICAL_STATES, [...this.#span(range, revision), limit ?? null], { purpose: 'history', flushes }),
    );
    return rows.flatMap((row) => optionalObjectOf(range.resource, row) ?? []);
  }

  /** The number of objects in a range at a revision. Rejects as `list`. */
  async count(range: SqlRange, revision: number): Promise<number> {
    const [row] = await this.#context.lineage.settledAt(revision, (flushes) =>
      this.#database.query(COUNT_HISTORICAL_STATES, this.#span(range, revision), { purpose: 'history', flushes }),
    );
    return row?.objects ?? 0;
  }

  /** The first parameters of both statements. The segment may be known only once the lineage is. */
  #span({ resource, from, to }: SqlRange, revision: number) {
    return [resource, from, to, this.#context.segments.segmentOf(revision), revision] as const;
  }
}
