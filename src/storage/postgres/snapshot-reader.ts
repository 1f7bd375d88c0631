import type pg from 'pg';
import type { Snapshot } from '../change-source.js';
import type { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import type { KnownSegments } from './known-segments.js';
import type { LogRow } from './log-row.js';
import { eventsOf, LOG_COLUMNS, withoutPrevious } from './log-row.js';
import type { ObjectRow } from './object-row.js';
import { objectOf } from './object-row.js';
import { readPrevious } from './revision-log.repository.js';

interface HeadRow extends pg.QueryResultRow {
  readonly value: number;
  readonly compacted: number;
}

interface SegmentRow extends pg.QueryResultRow {
  readonly segment: number;
  readonly start_revision: number;
  /** Milliseconds since the segment began. */
  readonly age: number;
}

const HEAD = 'select counter.value, compaction.revision as compacted from revision_counter counter cross join compaction';
const SEGMENTS = `
  select segment, start_revision, extract(epoch from now() - started_at)::float8 * 1000 as age from log_segment order by segment`;
const OBJECTS = 'select resource, path, uid, revision, terminating, data from objects';
/** The newest ones first, since a history too long is cut off at its beginning. */
const HISTORY = `
  select ${LOG_COLUMNS} from revision_log where segment >= $1 and revision > $2 order by revision desc limit $3`;

/** Reads everything that a cache starts from, in one short transaction. */
export class SnapshotReader {
  readonly #database: Database;
  readonly #segments: KnownSegments;
  readonly #mostChanges: number;

  constructor(database: Database, segments: KnownSegments, mostChanges: number) {
    this.#database = database;
    this.#segments = segments;
    this.#mostChanges = mostChanges;
  }

  read(historyMs: number): Promise<Snapshot> {
    return this.#database.inSnapshot((client) => this.#read(client, historyMs));
  }

  async #read(client: pg.ClientBase, historyMs: number): Promise<Snapshot> {
    // Before the snapshot is taken: from here on no partition is detached that it has.
    await client.query('lock table revision_log in access share mode');
    const head = (await client.query<HeadRow>(HEAD)).rows[0];
    if (!head) throw new Error('the table revision_counter or compaction is empty');
    const segments = (await client.query<SegmentRow>(SEGMENTS)).rows;
    for (const row of segments) this.#segments.note(row.segment, row.start_revision);
    await client.query('set local enable_seqscan = on');
    const objects = (await client.query<ObjectRow & { resource: string }>(OBJECTS)).rows;
    await client.query('set local enable_seqscan = off');
    const history = await this.#history(client, oldestRevision(segments, head.compacted, historyMs));
    const revision = head.value;
    return { revision, objects: objects.map((row) => objectOf(row.resource, row)), history: { ...history, revision } };
  }

  async #history(client: pg.ClientBase, after: number): Promise<{ after: number; events: Snapshot['history']['events'] }> {
    const values = [this.#segments.segmentOf(after), after, this.#mostChanges];
    const rows = (await client.query<LogRow>(HISTORY, values)).rows.reverse();
    const find = await readPrevious(
      withoutPrevious(rows),
      async <Row extends pg.QueryResultRow>({ text }: Statement, parameters: unknown[]) => {
        return (await client.query<Row>(text, parameters)).rows;
      },
    );
    const first = rows[0];
    const cut = first !== undefined && rows.length === this.#mostChanges;
    return { after: cut ? first.revision - 1 : after, events: eventsOf(rows, find) };
  }
}

/** The start of the newest segment that began at least so long ago; else as far back as the log goes. */
function oldestRevision(segments: readonly SegmentRow[], compacted: number, historyMs: number): number {
  const segment = segments.findLast(({ age }) => age >= historyMs);
  return Math.max(segment?.start_revision ?? 0, compacted);
}
