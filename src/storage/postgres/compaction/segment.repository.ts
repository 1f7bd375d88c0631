import { sql } from 'kysely';
import pg from 'pg';
import { runStatement } from '../../database/statement/run-statement.js';
import { integer } from '../../database/statement/sql-type.js';
import type { RowOf } from '../../database/statement/statement.js';
import { statement } from '../../database/statement/statement.js';
import type { Segment } from './list-segments.js';
import { LIST_SEGMENTS } from './list-segments.js';

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
export class SegmentRepository {
  readonly #client: pg.ClientBase;
  readonly #schema: string;

  constructor(client: pg.ClientBase, schema: string) {
    this.#client = client;
    this.#schema = pg.escapeIdentifier(schema);
  }

  /** All partitions of the log, attached or not, in ascending order. */
  list(): Promise<Segment[]> {
    return runStatement(this.#client, LIST_SEGMENTS, []);
  }

  /** The recorded starts, in ascending order. */
  starts(): Promise<SegmentStart[]> {
    return runStatement(this.#client, LIST_STARTS, []);
  }

  /** Attaching an existing table does not block writers, as `create table ... partition of` would. */
  async attachNew(segment: number): Promise<void> {
    const table = tableName(segment);
    await this.#client.query('begin');
    try {
      const columns = `like revision_log including defaults, check (segment = ${segment})`;
      await this.#client.query(`create table ${table} (${columns}) with (${STORAGE})`);
      await this.#client.query(`alter table revision_log attach partition ${table} for values in (${segment})`);
      await this.#client.query('commit');
    } catch (error) {
      await this.#client.query('rollback');
      throw error;
    }
  }

  /** Rotates from one segment to another attached one; returns false if another replica already did. */
  async rotate(from: number, to: number): Promise<boolean> {
    return (await runStatement(this.#client, ROTATE, [from, to])).length > 0;
  }

  /**
   * Detaches a segment, waiting for its readers without blocking writers. Once started, it must be finished. It cannot run in a
   * transaction, and behind a pooler only transactions have the search_path, so it qualifies names with the schema
   * (each-in-transaction.ts).
   */
  async detach(segment: number): Promise<void> {
    const [log, partition] = ['revision_log', tableName(segment)].map((table) => `${this.#schema}.${table}`);
    await this.#client.query(`alter table ${log} detach partition ${partition} concurrently`);
  }

  /** Finishes a detachment that was interrupted. */
  async finishDetach(segment: number): Promise<void> {
    await this.#client.query(`alter table revision_log detach partition ${tableName(segment)} finalize`);
  }

  /** Drops the table of a detached segment. */
  async drop(segment: number): Promise<void> {
    await this.#client.query(`drop table ${tableName(segment)}`);
  }

  /** Deletes the recorded start of a segment. */
  async forgetStart(segment: number): Promise<void> {
    await runStatement(this.#client, FORGET_START, [segment]);
  }
}

function tableName(segment: number): string {
  return `revision_log_${segment}`;
}
