import type pg from 'pg';
import type { Snapshot } from '../change-source.js';
import type { StoredObject, StoreEvent } from '../object-store.js';
import type { PageLimits } from './page-limits.js';
import { withinBytes } from './page-limits.js';
import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import type { LineageMark } from './lineage.repository.js';
import { MARK_COLUMNS } from './lineage.repository.js';
import type { LogRow } from './log-row.js';
import { eventsOf, LOG_COLUMNS, withoutPrevious } from './log-row.js';
import type { ObjectRow } from './object-row.js';
import { objectOf } from './object-row.js';
import type { LogPast } from './revision-log.repository.js';
import { readPrevious } from './revision-log.repository.js';

interface HeadRow extends pg.QueryResultRow, LineageMark {
  readonly compacted: number;
}

interface SegmentRow extends pg.QueryResultRow {
  readonly segment: number;
  readonly start_revision: number;
  /** Milliseconds since the segment began. */
  readonly age: number;
}

const HEAD = `
  select ${MARK_COLUMNS}, compaction.revision as compacted
  from revision_counter counter cross join compaction`;
const SEGMENTS = `
  select segment, start_revision, extract(epoch from now() - started_at)::float8 * 1000 as age from log_segment order by segment`;
const OBJECTS = `${withinBytes(
  `select resource, path, uid, revision, terminating, data from objects where (resource, path) > ($1, $2) order by resource, path limit $3`,
  'resource, path',
  'octet_length(data)',
  '$4',
)} order by resource, path`;
/** The newest ones first, since a history too long is cut off at its beginning. */
const HISTORY = `${withinBytes(
  `select ${LOG_COLUMNS} from revision_log where segment >= $1 and revision > $2 and revision <= $3 order by revision desc limit $4`,
  'revision desc',
  'octet_length(data) + coalesce(octet_length(previous), 0)',
  '$5',
)} order by revision desc`;
/** What a change takes in memory beside its data. */
const CHANGE_BYTES = 300;

export interface SnapshotLimits {
  readonly mostChanges: number;
  readonly historyBytes: number;
  readonly page: PageLimits;
}

/** The newest changes, at most so many, of those with `after < revision <= upTo`. */
interface HistorySpan {
  readonly after: number;
  readonly upTo: number;
  readonly most: number;
}

/** Reads everything that a cache starts from, page by page, in one short transaction. */
export class SnapshotReader {
  readonly #database: Database;
  readonly #past: LogPast;
  readonly #limits: SnapshotLimits;

  constructor(database: Database, past: LogPast, limits: SnapshotLimits) {
    this.#database = database;
    this.#past = past;
    this.#limits = limits;
  }

  async read(historyMs: number): Promise<Snapshot> {
    const { lineage } = this.#past;
    const read = await lineage.settled(
      () => this.#database.inSnapshot((client) => this.#read(client, historyMs)),
      ({ head }) => head,
    );
    lineage.note(read.head.newest);
    return { ...(read.snapshot as Snapshot), gaps: lineage.gaps };
  }

  /** Nothing but the head where that is of another lineage. */
  async #read(client: pg.ClientBase, historyMs: number): Promise<{ head: HeadRow; snapshot?: Snapshot }> {
    // Before the snapshot is taken: from here on no partition is detached that it has.
    await client.query('lock table revision_log in access share mode');
    const head = (await client.query<HeadRow>(HEAD)).rows[0];
    if (!head) throw new Error('the table revision_counter or compaction is empty');
    if (!this.#past.lineage.accepts(head)) return { head };
    const segments = (await client.query<SegmentRow>(SEGMENTS)).rows;
    for (const row of segments) this.#past.segments.note(row.segment, row.start_revision);
    const revision = head.newest;
    const objects = await this.#objects(client);
    const history = await this.#history(client, oldestRevision(segments, head.compacted, historyMs), revision);
    return { head, snapshot: { revision, objects, history: { ...history, revision } } };
  }

  async #objects(client: pg.ClientBase): Promise<StoredObject[]> {
    const { rows: most, bytes } = this.#limits.page;
    const objects: StoredObject[] = [];
    let last = { resource: '', path: '' };
    for (;;) {
      const { rows } = await client.query<ObjectRow & { resource: string }>(OBJECTS, [last.resource, last.path, most, bytes]);
      for (const row of rows) objects.push(objectOf(row.resource, row));
      if (rows.length === 0) return objects;
      last = rows.at(-1) ?? last;
    }
  }

  /** As far back as its limits go. */
  async #history(client: pg.ClientBase, after: number, revision: number): Promise<{ after: number; events: readonly StoreEvent[] }> {
    const { mostChanges, historyBytes } = this.#limits;
    const pages: StoreEvent[][] = [];
    let upTo = revision;
    let changes = 0;
    let bytes = 0;
    while (upTo > after) {
      const events = await this.#historyPage(client, { after, upTo, most: mostChanges - changes });
      const first = events[0];
      if (!first) return { after, events: pages.reverse().flat() };
      pages.push(events);
      upTo = first.revision - 1;
      changes += events.length;
      bytes += events.reduce((sum, { object }) => sum + object.data.length + CHANGE_BYTES, 0);
      if (changes >= mostChanges || bytes >= historyBytes) break;
    }
    return { after: Math.max(after, upTo), events: pages.reverse().flat() };
  }

  async #historyPage(client: pg.ClientBase, { after, upTo, most }: HistorySpan): Promise<StoreEvent[]> {
    const { page } = this.#limits;
    const values = [this.#past.segments.segmentOf(after), after, upTo, Math.min(page.rows, most), page.bytes];
    const rows = (await client.query<LogRow>(HISTORY, values)).rows.reverse();
    const find = await readPrevious(
      withoutPrevious(rows),
      async <Row extends pg.QueryResultRow>({ text }: Statement, parameters: unknown[]) => {
        return (await client.query<Row>(text, parameters)).rows;
      },
    );
    return eventsOf(rows, find);
  }
}

/** The start of the newest segment that began at least so long ago; else as far back as the log goes. */
function oldestRevision(segments: readonly SegmentRow[], compacted: number, historyMs: number): number {
  const segment = segments.findLast(({ age }) => age >= historyMs);
  return Math.max(segment?.start_revision ?? 0, compacted);
}
