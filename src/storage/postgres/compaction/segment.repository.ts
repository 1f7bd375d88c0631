import { sql } from 'kysely';
import type pg from 'pg';
import { type RowOf, runStatement, statement } from '../../database/statement/statement.js';
import { integer } from '../../database/statement/database-tables.js';
import { PartitionRepository } from '../partitions/partition.repository.js';

/** Start of each remaining segment, in ascending order. */
const LIST_STARTS = statement('list_segment_starts', [], (db) =>
  db
    .selectFrom('log_segment')
    .select(['segment', 'start_revision as startRevision', sql<number>`extract(epoch from now() - started_at)::float8 * 1000`.as('ageMs')])
    .orderBy('segment'),
);

/** Rotates from segment $1 to $2 by compare-and-set, so that two replicas rotate only once. No row: another one did. */
const ROTATE = statement('rotate_segment', [integer, integer], (db, [from, to]) =>
  db
    .with('counter', (cte) =>
      cte
        .updateTable('revision_counter')
        .set((eb) => ({ segment: to, segment_start: eb.ref('value') }))
        .where('segment', '=', from)
        .returning(['segment', 'value']),
    )
    .insertInto('log_segment')
    .columns(['segment', 'start_revision', 'started_at'])
    .expression((eb) => eb.selectFrom('counter').select(['segment', 'value', sql<Date>`now()`.as('started_at')]))
    .returning('segment'),
);

const FORGET_START = statement('forget_segment_start', [integer], (db, [segment]) =>
  db.deleteFrom('log_segment').where('segment', '=', segment),
);

/** When a segment started: the newest revision at that time, and how many milliseconds ago. */
export type SegmentStart = RowOf<typeof LIST_STARTS>;

/** Rows are only inserted, and disappear within minutes together with their partition, so vacuuming and analyzing them would be wasted. */
const STORAGE = 'autovacuum_enabled = off, toast.autovacuum_enabled = off';

/** The partitions of the log: created and attached ahead of need, written to in turn, then detached and dropped. */
export class SegmentRepository extends PartitionRepository {
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase, schema: string) {
    super(client, { table: 'revision_log', schema, storage: STORAGE });
    this.#client = client;
  }

  /** The recorded starts, in ascending order. */
  starts(): Promise<SegmentStart[]> {
    return runStatement(this.#client, LIST_STARTS, []);
  }

  /** Rotates from one segment to another attached one; returns false if another replica already did. */
  async rotate(from: number, to: number): Promise<boolean> {
    return (await runStatement(this.#client, ROTATE, [from, to])).length > 0;
  }

  /** Deletes the recorded start of a segment. */
  async forgetStart(segment: number): Promise<void> {
    await runStatement(this.#client, FORGET_START, [segment]);
  }
}
