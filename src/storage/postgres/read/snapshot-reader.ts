import { sql } from 'kysely';
import type pg from 'pg';
import type { Snapshot } from '../../change-source.js';
import type { Database } from '../../database/database.js';
import { flushWithCommit } from '../../database/session/flush.js';
import { type RowOf, runStatement, statement } from '../../database/statement/statement.js';
import { bigint, integer, text } from '../../database/statement/database-tables.js';
import type { StoredObject, StoreEvent } from '../../object-store.js';
import { selectHead } from '../lineage/lineage-mark.js';
import { type LogContext, readPrevious } from '../log/revision-log.repository.js';
import { type LogRow, LOG_COLUMNS, LogEvents } from '../rows/log-row.js';
import { type PageLimits, OBJECT_COLUMNS, bytesBefore, changeSize, objectOf, objectSize } from '../rows/object-row.js';

const READ_HEAD = statement('snapshot_head', [], selectHead);

/** The segments, with the milliseconds since each started. */
const LIST_SEGMENTS = statement('snapshot_segments', [], (db) =>
  db
    .selectFrom('log_segment')
    .select(['segment', 'start_revision', sql<number>`extract(epoch from now() - started_at)::float8 * 1000`.as('age')])
    .orderBy('segment'),
);

/** A page of the objects after the key $1, $2. $3 and $4: limits on rows and bytes. */
const READ_OBJECTS = statement('snapshot_objects', [text, text, integer, bigint], (db, [resource, path, rows, bytes]) => {
  const page = db
    .selectFrom('objects')
    .select(['resource', ...OBJECT_COLUMNS])
    .where((eb) => eb(eb.refTuple('resource', 'path'), '>', sql<[string, string]>`(${resource}, ${path})`))
    .orderBy('resource')
    .orderBy('path')
    .limit(rows);
  const sized = db
    .selectFrom(page.as('page'))
    .selectAll('page')
    .select(bytesBefore(objectSize, sql`resource, path`).as('bytes_before'));
  return db.selectFrom(sized.as('sized')).selectAll('sized').where('bytes_before', '<', bytes).orderBy('resource').orderBy('path');
});

/**
 * A page of the changes after revision $2 up to $3, newest first, since a history that is too long is truncated at its beginning. $1: the
 * segment of $2; $4 and $5: limits on rows and bytes.
 */
const READ_HISTORY = statement(
  'snapshot_history',
  [integer, bigint, bigint, integer, bigint],
  (db, [segment, after, upTo, rows, bytes]) => {
    const page = db
      .selectFrom('revision_log')
      .select(LOG_COLUMNS)
      .where('segment', '>=', segment)
      .where('revision', '>', after)
      .where('revision', '<=', upTo)
      .orderBy('revision', 'desc')
      .limit(rows);
    const sized = db
      .selectFrom(page.as('page'))
      .selectAll('page')
      .select(bytesBefore(changeSize, sql`revision desc`).as('bytes_before'));
    return db.selectFrom(sized.as('sized')).selectAll('sized').where('bytes_before', '<', bytes).orderBy('revision', 'desc');
  },
);

type HeadRow = RowOf<typeof READ_HEAD>;
type SegmentRow = RowOf<typeof LIST_SEGMENTS>;

/** Estimated memory of a change besides its data. */
const CHANGE_BYTES = 300;

/** Limits on a snapshot's history and on the page size. */
export interface SnapshotLimits {
  readonly maxChanges: number;
  readonly historyBytes: number;
  readonly page: PageLimits;
}

/** The newest of the changes with `after < revision <= upTo`, up to a limit. */
interface HistorySpan {
  readonly after: number;
  readonly upTo: number;
  readonly most: number;
}

/** Reads the initial content of a cache, page by page, in one short transaction. */
export class SnapshotReader {
  readonly #database: Database;
  readonly #context: LogContext;
  readonly #limits: SnapshotLimits;

  constructor(database: Database, context: LogContext, limits: SnapshotLimits) {
    this.#database = database;
    this.#context = context;
    this.#limits = limits;
  }

  async read(historyMs: number): Promise<Snapshot> {
    const { lineage } = this.#context;
    const read = await lineage.settled(
      () => this.#database.inSnapshot((client) => this.#read(client, historyMs)),
      ({ head }) => head,
      { flushes: true },
    );
    lineage.note(read.head.newest);
    return { ...(read.snapshot as Snapshot), gaps: lineage.gaps };
  }

  /** Returns only the head if it belongs to another lineage. */
  async #read(client: pg.ClientBase, historyMs: number): Promise<{ head: HeadRow; snapshot?: Snapshot }> {
    // Before the snapshot is taken: from here on, none of its partitions can be detached.
    await client.query('lock table revision_log in access share mode');
    const [head] = await runStatement(client, READ_HEAD, []);
    if (!head) throw new Error('the table revision_counter or compaction is empty');
    if (!this.#context.lineage.accepts(head)) return { head };
    const segments = await runStatement(client, LIST_SEGMENTS, []);
    for (const row of segments) this.#context.segments.note(row.segment, row.start_revision);
    const revision = head.newest;
    const objects = await this.#objects(client);
    const { after, pages } = await this.#history(client, oldestRevision(segments, head.compacted, historyMs), revision);
    const events = await this.#events(client, pages, new LogEvents(objects));
    await flushWithCommit(client);
    return { head, snapshot: { revision, objects, history: { after, revision, events } } };
  }

  async #objects(client: pg.ClientBase): Promise<StoredObject[]> {
    const { rows: most, bytes } = this.#limits.page;
    const objects: StoredObject[] = [];
    let last = { resource: '', path: '' };
    for (;;) {
      const rows = await runStatement(client, READ_OBJECTS, [last.resource, last.path, most, bytes]);
      for (const row of rows) objects.push(objectOf(row.resource, row));
      if (rows.length === 0) return objects;
      last = rows.at(-1) ?? last;
    }
  }

  /** Reads the history as far back as the limits allow. The newest page, and the newest row of each, comes first. */
  async #history(client: pg.ClientBase, after: number, revision: number): Promise<{ after: number; pages: LogRow[][] }> {
    const { maxChanges, historyBytes } = this.#limits;
    const pages: LogRow[][] = [];
    let upTo = revision;
    let changes = 0;
    let bytes = 0;
    while (upTo > after) {
      const rows = await this.#historyPage(client, { after, upTo, most: maxChanges - changes });
      const oldest = rows.at(-1);
      if (!oldest) return { after, pages };
      pages.push(rows);
      upTo = oldest.revision - 1;
      changes += rows.length;
      bytes += rows.reduce((sum, { data }) => sum + data.length + CHANGE_BYTES, 0);
      if (changes >= maxChanges || bytes >= historyBytes) break;
    }
    return { after: Math.max(after, upTo), pages };
  }

  #historyPage(client: pg.ClientBase, { after, upTo, most }: HistorySpan): Promise<LogRow[]> {
    const { page } = this.#limits;
    const values = [this.#context.segments.segmentOf(after), after, upTo, Math.min(page.rows, most), page.bytes] as const;
    return runStatement(client, READ_HISTORY, values);
  }

  /** Empties `pages`. */
  async #events(client: pg.ClientBase, pages: LogRow[][], events: LogEvents): Promise<StoreEvent[]> {
    const all: StoreEvent[] = [];
    for (let rows = pages.pop()?.reverse(); rows; rows = pages.pop()?.reverse()) {
      const missing = events.withoutPrevious(rows);
      const find = await readPrevious(missing, (wanted, parameters) => runStatement(client, wanted, parameters));
      for (const event of events.of(rows, find)) all.push(event);
      // Lets other work run between two pages.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return all;
  }
}

/** The start of the newest segment that is at least this old, or else the beginning of the log. */
function oldestRevision(segments: readonly SegmentRow[], compacted: number, historyMs: number): number {
  const segment = segments.findLast(({ age }) => age >= historyMs);
  return Math.max(segment?.start_revision ?? 0, compacted);
}
