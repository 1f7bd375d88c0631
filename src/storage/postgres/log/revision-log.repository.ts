import { sql } from 'kysely';
import type { Changes, KnownStates } from '../../change-source.js';
import type { Database } from '../../database/database.js';
import { toStorageError } from '../../database/session/pg-errors.js';
import { bigintArray, textArray } from '../../database/statement/binary-array.js';
import { bigint, binaryArray, integer } from '../../database/statement/database-tables.js';
import { type QueryBuilder, type RowOf, type Statement, statement } from '../../database/statement/statement.js';
import { RevisionGaps } from '../../revisions.js';
import { type KnownSegments, selectHead } from '../lineage/lineage-mark.js';
import type { Lineage } from '../lineage/lineage.js';
import { type LogRow, type PreviousStates, LOG_COLUMNS, LogEvents } from '../rows/log-row.js';
import { type PageLimits, bytesBefore, changeSize, keyOf, objectOf } from '../rows/object-row.js';

/** Counter, segment and compacted revision. */
const selectLogHead = (db: QueryBuilder) => selectHead(db).select(['counter.segment as newest_segment', 'counter.segment_start']);

/** The head of the log, without changes. One row. */
export const READ_NEWEST = statement('read_newest', [], selectLogHead);

/**
 * The head and the first changes after revision $1, in one snapshot. $2: a segment such that no such change is in an earlier one; $3 and
 * $4: limits on rows and bytes. Without changes, the columns of the log are null.
 */
export const READ_CHANGES = statement('read_changes', [bigint, integer, integer, bigint], (db, [after, segment, rows, bytes]) => {
  const page = db
    .selectFrom('revision_log')
    .select([...LOG_COLUMNS, 'token'])
    .where('segment', '>=', segment)
    .where('revision', '>', after)
    .orderBy('revision')
    .limit(rows);
  const sized = db
    .selectFrom(page.as('page'))
    .selectAll('page')
    .select(bytesBefore(changeSize, sql`revision`).as('bytes_before'));
  const changes = db.selectFrom(sized.as('sized')).selectAll('sized').where('bytes_before', '<', bytes);
  return selectLogHead(db)
    .leftJoinLateral(changes.as('l'), (join) => join.onTrue())
    .selectAll('l')
    .orderBy('l.revision');
});

/** States in the log, each selected by resource, path and revision. $4: a segment such that none of them is in an earlier one. */
export const READ_STATES = statement(
  'read_states',
  [binaryArray, binaryArray, binaryArray, integer],
  (db, [resources, paths, revisions, segment]) =>
    db
      .selectFrom(
        sql<{
          resource: string;
          path: string;
          revision: number;
        }>`unnest(${resources}::text[], ${paths}::text[], ${revisions}::bigint[])`.as<'wanted'>(sql`wanted(resource, path, revision)`),
      )
      .innerJoin('revision_log as l', (join) =>
        join
          .on('l.segment', '>=', segment)
          .onRef('l.resource', '=', 'wanted.resource')
          .onRef('l.path', '=', 'wanted.path')
          .onRef('l.revision', '=', 'wanted.revision'),
      )
      .select(['l.resource', 'l.path', 'l.uid', 'l.revision', 'l.terminating', 'l.data']),
);

type ChangeRow = RowOf<typeof READ_CHANGES>;
type HeadRow = RowOf<typeof READ_NEWEST>;
type FoundRow = LogRow & { readonly bytes_before: number; readonly token: number | null };

/** Runs a statement, either on the database or on one session within a snapshot. */
export type RunStatement = <Row, Values extends readonly unknown[]>(
  statement: Statement<Row, Values>,
  values: NoInfer<Values>,
) => Promise<Row[]>;

/** Limits on reads of the log. */
export interface RevisionLogOptions {
  /** A follower that is further behind than this many revisions starts over from a snapshot. */
  readonly maxChanges: number;
  readonly page: PageLimits;
}

/** State of the lineage that reads of the log depend on. */
export interface LogContext {
  readonly lineage: Lineage;
  readonly segments: KnownSegments;
}

/**
 * The changes of all objects in order: feed and read barrier. After a read without changes, the next one first checks whether there are
 * any, which takes half as long as reading them.
 */
export class RevisionLogRepository {
  readonly #database: Database;
  readonly #context: LogContext;
  readonly #options: RevisionLogOptions;
  #foundChanges = true;
  /** Whether the last changes were those of a SQL client, and so the next ones will be. */
  #ofSql = false;

  constructor(database: Database, context: LogContext, options: RevisionLogOptions) {
    this.#database = database;
    this.#context = context;
    this.#options = options;
  }

  /** A page of the changes after a revision; 'compacted' if the log lacks some of them, never had the revision, or has too many. */
  async changesAfter(after: number, known?: KnownStates): Promise<Changes | 'compacted'> {
    const { lineage, segments } = this.#context;
    if (!this.#foundChanges && (await this.#isNewest(after))) return { after, revision: after, events: [] };
    const { head, rows } = await lineage.settled(
      (flushes) => this.#read(after, flushes),
      (read) => read.head,
      { restsOn: ({ head: { newest }, rows: found }) => (isOfServer(found.at(-1)) ? 0 : newest), flushes: this.#ofSql },
    );
    segments.note(head.newest_segment, head.segment_start);
    const gaps = after < lineage.start ? lineage.gaps : undefined;
    if (gaps?.has(after) || this.#isOutOfReach(after, head, gaps)) return 'compacted';
    const changes = rows.filter((row): row is HeadRow & FoundRow => row.revision !== null);
    this.#foundChanges = changes.length > 0;
    if (changes.length > 0) this.#ofSql = !isOfServer(changes.at(-1));
    const last = this.#isWholePage(changes) ? changes.at(-1)?.revision : undefined;
    lineage.note(last ?? head.newest);
    const more = last === undefined ? undefined : true;
    return this.#complete({ after, revision: last ?? head.newest, more, ...(gaps && { gaps }) }, changes, known);
  }

  #isOutOfReach(after: number, { compacted, newest }: HeadRow, gaps = RevisionGaps.none): boolean {
    return after < compacted || after > newest || newest - after - gaps.widthAfter(after) > this.#options.maxChanges;
  }

  #isWholePage(changes: readonly FoundRow[]): boolean {
    const { page } = this.#options;
    return changes.length === page.rows || bytesOf(changes) >= page.bytes;
  }

  async #read(after: number, flushes: boolean): Promise<{ head: HeadRow; rows: ChangeRow[] }> {
    const { page } = this.#options;
    const values = [after, this.#context.segments.segmentOf(after), page.rows, page.bytes] as const;
    const rows = await this.#database.query(READ_CHANGES, values, { purpose: 'feed', flushes });
    const head = rows[0];
    if (!head) throw toStorageError(new Error('the table revision_counter or compaction is empty'));
    return { head, rows };
  }

  async #isNewest(revision: number): Promise<boolean> {
    const [head] = await this.#database.query(READ_NEWEST, [], { purpose: 'feed' });
    return head !== undefined && this.#context.lineage.accepts(head) && head.newest === revision && revision >= this.#context.lineage.start;
  }

  /** Turns rows into events; 'compacted' if a previous state has been dropped meanwhile, and with it the event. */
  async #complete(span: Omit<Changes, 'events'>, rows: LogRow[], known?: KnownStates): Promise<Changes | 'compacted'> {
    const shared = sharedStates(known);
    const events = new LogEvents();
    const missing = events.withoutPrevious(rows).filter((row) => shared(row, row.previous_revision) === undefined);
    const read = await readPrevious(missing, (statement, values) => this.#database.query(statement, values, { purpose: 'feed' }));
    if (missing.some((row) => read(row, row.previous_revision) === undefined)) return 'compacted';
    return { ...span, events: events.of(rows, (row, revision) => shared(row, revision) ?? read(row, revision)) };
  }
}

/** Whether a server wrote it, as its token shows: then it, and everything before, was on disk before anybody could see it. */
function isOfServer(row: ChangeRow | undefined): boolean {
  return row !== undefined && row.token !== null;
}

function bytesOf(rows: readonly FoundRow[]): number {
  const last = rows.at(-1);
  return last ? last.bytes_before + Buffer.byteLength(last.data) + Buffer.byteLength(last.previous ?? '') : 0;
}

function sharedStates(known: KnownStates = () => undefined): PreviousStates {
  return (row, revision) => {
    const state = known(keyOf(row.resource, row.path));
    return state?.revision === revision ? state : undefined;
  };
}

/** Reads the states before these rows, which are in the same segments as the rows. */
export async function readPrevious(rows: readonly LogRow[], run: RunStatement): Promise<PreviousStates> {
  if (rows.length === 0) return () => undefined;
  const states = await run(READ_STATES, [
    textArray(rows.map((row) => row.resource)),
    textArray(rows.map((row) => row.path)),
    bigintArray(rows.map((row) => row.previous_revision)),
    rows.reduce((least, row) => Math.min(least, row.segment), Infinity),
  ]);
  // A revision belongs to one object only.
  const found = new Map(states.map((row) => [row.revision, objectOf(row.resource, row)]));
  return (_, revision) => (revision === null ? undefined : found.get(revision));
}
