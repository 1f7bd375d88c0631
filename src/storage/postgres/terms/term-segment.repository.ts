import { sql } from 'kysely';
import type pg from 'pg';
import { type RowOf, runStatement, statement } from '../../database/statement/statement.js';
import { integer } from '../../database/statement/sql-type.js';
import { PartitionRepository } from '../partitions/partition.repository.js';

/** In ascending order. */
const LIST_TERM_SEGMENTS = statement('list_term_segments', [], (db) =>
  db
    .selectFrom('lease_term_segment')
    .select(['segment', 'terms', sql<number>`extract(epoch from now() - started_at)::float8 * 1000`.as('ageMs')])
    .orderBy('segment'),
);

const BEGIN_TERM_SEGMENT = statement('begin_term_segment', [integer], (db, [segment]) =>
  db.insertInto('lease_term_segment').values({ segment, started_at: sql<Date>`now()` }),
);

const FORGET_TERM_SEGMENT = statement('forget_term_segment', [integer], (db, [segment]) =>
  db.deleteFrom('lease_term_segment').where('segment', '=', segment),
);

/** Where terms are no longer recorded, what is open now would stay so for ever. */
const FORGET_OPEN_TERMS = statement('forget_open_terms', [], (db) => db.deleteFrom('lease_term').where('segment', '=', sql.lit(0)));

/** A segment of terms that have ended: how many it has, and how many milliseconds ago it was begun. */
export type TermSegment = RowOf<typeof LIST_TERM_SEGMENTS>;

/** The partitions of terms that have ended. Open terms are in partition 0, which stays. */
export class TermSegmentRepository extends PartitionRepository {
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase, schema: string) {
    super(client, { table: 'lease_term', schema, identity: 'full' });
    this.#client = client;
  }

  segments(): Promise<TermSegment[]> {
    return runStatement(this.#client, LIST_TERM_SEGMENTS, []);
  }

  /** Terms that end from now on go to a new segment. Its partition and its row are committed at once, so that no write finds one alone. */
  begin(segment: number): Promise<void> {
    return this.attachNew(segment, () => runStatement(this.#client, BEGIN_TERM_SEGMENT, [segment]));
  }

  async forgetOpen(): Promise<void> {
    await runStatement(this.#client, FORGET_OPEN_TERMS, []);
  }

  async forget(segment: number): Promise<void> {
    await runStatement(this.#client, FORGET_TERM_SEGMENT, [segment]);
  }
}
