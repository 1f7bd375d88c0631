import type { Database } from '../../database/database.js';
import type { StoredObject } from '../../object-store.js';
import { compactedError, tooLargeRevisionError } from '../../storage-errors.js';
import type { LineageMark } from '../lineage/lineage-mark.js';
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
    const rows = await this.#settled(range, revision, (span) =>
      this.#database.query(LIST_HISTORICAL_STATES, [...span, limit ?? null], { purpose: 'history' }),
    );
    const { newest = 0, compacted = 0 } = rows[0] ?? {};
    if (revision > newest) throw tooLargeRevisionError(BigInt(revision), newest);
    if (revision < compacted) throw compactedError(revision, compacted);
    return rows.flatMap((row) => optionalObjectOf(range.resource, row) ?? []);
  }

  /** The number of objects in a range at a revision. StorageError Compacted, TooManyReads, Unavailable. */
  async count(range: SqlRange, revision: number): Promise<number> {
    const [row] = await this.#settled(range, revision, (span) =>
      this.#database.query(COUNT_HISTORICAL_STATES, span, { purpose: 'history' }),
    );
    const { compacted = 0, objects = 0 } = row ?? {};
    if (revision < compacted) throw compactedError(revision, compacted);
    return objects;
  }

  /** Repeats a read until its result belongs to the known lineage. StorageError Compacted if that lineage never assigned the revision. */
  async #settled<Row extends LineageMark>(range: SqlRange, revision: number, read: (span: Span) => Promise<Row[]>): Promise<Row[]> {
    const { lineage, segments } = this.#context;
    const { resource, from, to } = range;
    const rows = await lineage.settled(
      () => read([resource, from, to, segments.segmentOf(revision), revision]),
      ([row]) => row,
    );
    const gap = lineage.gaps.around(revision);
    if (gap) throw compactedError(revision, gap.began);
    return rows;
  }
}

/** The first parameters of both statements. */
type Span = readonly [resource: string, from: string, to: string, segment: number, revision: number];
