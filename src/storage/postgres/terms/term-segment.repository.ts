import { sql } from 'kysely';
import type pg from 'pg';
import { type RowOf, runStatement, sqlStatement, statement } from '../../database/statement/statement.js';
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

/** How many ended terms each namespace has in the segments before one ($1). */
const COUNT_TERMS_OF_NAMESPACES = sqlStatement<{ terms: number }, readonly [before: number]>(
  'count_terms_of_namespaces',
  'select count(*)::bigint as terms from lease_term where segment > 0 and segment < $1 group by namespace',
);

/** Leaves each namespace its newest terms, so many ($2), in the segments before one ($1), to which no write adds any. */
const SHORTEN_TERMS_OF_NAMESPACES = sqlStatement<never, readonly [before: number, most: number]>(
  'shorten_terms_of_namespaces',
  `
  with ranked as materialized (
    select segment, ctid as place, row_number() over (partition by namespace order by token desc) as rank
    from lease_term where segment > 0 and segment < $1
  ), gone as (
    delete from lease_term t using ranked r where r.rank > $2 and t.segment = r.segment and t.ctid = r.place returning t.segment
  )
  update lease_term_segment s set terms = s.terms - g.terms
  from (select segment, count(*) as terms from gone group by segment) g where s.segment = g.segment`,
);

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

  /** How many terms each namespace has that ended before a segment was begun. */
  async countByNamespace(before: number): Promise<number[]> {
    return (await runStatement(this.#client, COUNT_TERMS_OF_NAMESPACES, [before])).map(({ terms }) => terms);
  }

  /** Leaves each namespace its newest `most` of them. */
  async shorten(before: number, most: number): Promise<void> {
    await runStatement(this.#client, SHORTEN_TERMS_OF_NAMESPACES, [before, most]);
  }

  async forgetOpen(): Promise<void> {
    await runStatement(this.#client, FORGET_OPEN_TERMS, []);
  }

  async forget(segment: number): Promise<void> {
    await runStatement(this.#client, FORGET_TERM_SEGMENT, [segment]);
  }
}
