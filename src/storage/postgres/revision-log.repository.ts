import type pg from 'pg';
import type { Changes, KnownStates } from '../change-source.js';
import { bigintArray, textArray } from '../database/binary-array.js';
import type { Database } from '../database/database.js';
import { toStorageError } from '../database/pg-errors.js';
import type { Statement } from '../database/statement.js';
import { RevisionGaps } from '../revision-gaps.js';
import type { KnownSegments } from './known-segments.js';
import type { Lineage } from './lineage.js';
import type { LineageMark } from './lineage.repository.js';
import { MARK_COLUMNS } from './lineage.repository.js';
import type { LogRow, PreviousStates } from './log-row.js';
import type { PageLimits } from './page-limits.js';
import { withinBytes } from './page-limits.js';
import { eventsOf, LOG_COLUMNS, withoutPrevious } from './log-row.js';
import type { ObjectRow } from './object-row.js';
import { keyOf, objectOf } from './object-row.js';

const HEAD_COLUMNS = `${MARK_COLUMNS}, counter.segment as newest_segment, counter.segment_start,
      compaction.revision as compacted`;

/** Counter and compacted revision. */
export const READ_NEWEST: Statement = {
  name: 'read_newest',
  text: `select ${HEAD_COLUMNS} from revision_counter counter cross join compaction`,
};

const PAGE = `select ${LOG_COLUMNS} from revision_log where segment >= $2 and revision > $1 order by revision limit $3`;

/** The same with the first rows after a revision, in one snapshot. */
export const READ_CHANGES: Statement = {
  name: 'read_changes',
  text: `
    select ${HEAD_COLUMNS}, l.*
    from revision_counter counter cross join compaction left join lateral (
      ${withinBytes(PAGE, 'revision', 'octet_length(data) + coalesce(octet_length(previous), 0)', '$4')}
    ) l on true
    order by l.revision`,
};

/** States that the log has, each by segment, key and revision. */
export const READ_STATES: Statement = {
  name: 'read_states',
  text: `
    select l.resource, l.path, l.uid, l.revision, l.terminating, l.data
    from unnest($1::text[], $2::text[], $3::bigint[]) as wanted(resource, path, revision)
    join revision_log l on l.segment >= $4 and l.resource = wanted.resource and l.path = wanted.path and l.revision = wanted.revision`,
};

interface HeadRow extends LineageMark {
  readonly newest_segment: number;
  readonly segment_start: number;
  readonly compacted: number;
}

type FoundRow = LogRow & { readonly bytes_before: number };
type ChangeRow = HeadRow & (FoundRow | { readonly revision: null });

/** What runs a statement: the database, or one session of it within a snapshot. */
export type RunStatement = <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) => Promise<Row[]>;

export interface RevisionLogOptions {
  /** A follower that is further behind than so many revisions starts anew from a snapshot. */
  readonly mostChanges: number;
  readonly page: PageLimits;
}

/** What the log is read with that belongs to a lineage. */
export interface LogPast {
  readonly lineage: Lineage;
  readonly segments: KnownSegments;
}

/**
 * The changes of all objects, in order: feed and read barrier. After a read that found none the next one asks first whether there are
 * any, which takes half as long as reading them.
 */
export class RevisionLogRepository {
  readonly #database: Database;
  readonly #past: LogPast;
  readonly #options: RevisionLogOptions;
  #foundChanges = true;

  constructor(database: Database, past: LogPast, options: RevisionLogOptions) {
    this.#database = database;
    this.#past = past;
    this.#options = options;
  }

  /** A page of the changes after a revision; 'compacted' where the log does not have them all, never had the revision, or has too many. */
  async changesAfter(after: number, known?: KnownStates): Promise<Changes | 'compacted'> {
    const { lineage, segments } = this.#past;
    if (!this.#foundChanges && (await this.#isNewest(after))) return { after, revision: after, events: [] };
    const { head, rows } = await lineage.settled(
      () => this.#read(after),
      (read) => read.head,
    );
    lineage.note(head.newest);
    segments.note(head.newest_segment, head.segment_start);
    const gaps = after < lineage.start ? lineage.gaps : undefined;
    if (gaps?.has(after) || this.#isOutOfReach(after, head, gaps)) return 'compacted';
    const changes = rows.filter((row): row is ChangeRow & FoundRow => row.revision !== null);
    this.#foundChanges = changes.length > 0;
    const last = this.#isWholePage(changes) ? changes.at(-1)?.revision : undefined;
    const more = last === undefined ? undefined : true;
    return this.#complete({ after, revision: last ?? head.newest, more, ...(gaps && { gaps }) }, changes, known);
  }

  #isOutOfReach(after: number, { compacted, newest }: HeadRow, gaps = RevisionGaps.none): boolean {
    return after < compacted || after > newest || newest - after - gaps.widthAfter(after) > this.#options.mostChanges;
  }

  #isWholePage(changes: readonly FoundRow[]): boolean {
    const { page } = this.#options;
    return changes.length === page.rows || bytesOf(changes) >= page.bytes;
  }

  async #read(after: number): Promise<{ head: HeadRow; rows: ChangeRow[] }> {
    const { page } = this.#options;
    const values = [after, this.#past.segments.segmentOf(after), page.rows, page.bytes];
    const rows = await this.#database.queryFeed<ChangeRow>(READ_CHANGES, values);
    const head = rows[0];
    if (!head) throw toStorageError(new Error('the table revision_counter or compaction is empty'));
    return { head, rows };
  }

  async #isNewest(revision: number): Promise<boolean> {
    const [head] = await this.#database.queryFeed<HeadRow & pg.QueryResultRow>(READ_NEWEST);
    return head !== undefined && this.#past.lineage.accepts(head) && head.newest === revision && revision >= this.#past.lineage.start;
  }

  /** The rows as events; 'compacted' where a previous state was dropped meanwhile, and so the event too. */
  async #complete(span: Omit<Changes, 'events'>, rows: LogRow[], known?: KnownStates): Promise<Changes | 'compacted'> {
    const shared = sharedStates(known);
    const missing = withoutPrevious(rows).filter((row) => shared(row, row.previous_revision) === undefined);
    const read = await readPrevious(missing, (statement, values) => this.#database.queryFeed(statement, values));
    if (missing.some((row) => read(row, row.previous_revision) === undefined)) return 'compacted';
    return { ...span, events: eventsOf(rows, (row, revision) => shared(row, revision) ?? read(row, revision)) };
  }
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

/** Reads the states before these rows, which lie in the segments of the rows themselves. */
export async function readPrevious(rows: readonly LogRow[], run: RunStatement): Promise<PreviousStates> {
  if (rows.length === 0) return () => undefined;
  const states = await run<ObjectRow & { resource: string }>(READ_STATES, [
    textArray(rows.map((row) => row.resource)),
    textArray(rows.map((row) => row.path)),
    bigintArray(rows.map((row) => row.previous_revision)),
    rows.reduce((least, row) => Math.min(least, row.segment), Infinity),
  ]);
  // a revision is of one object alone
  const found = new Map(states.map((row) => [row.revision, objectOf(row.resource, row)]));
  return (_, revision) => (revision === null ? undefined : found.get(revision));
}
