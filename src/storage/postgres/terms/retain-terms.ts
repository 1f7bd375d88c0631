import { sql } from 'kysely';
import type pg from 'pg';
import { integer } from '../../database/statement/database-tables.js';
import { type RowOf, runStatement, sqlStatement, statement } from '../../database/statement/statement.js';
import { PartitionRepository } from '../partitions/partition.repository.js';

/** How much history is kept. */
export interface TermRetentionOptions {
  /** How long a term is kept after its end; 0: no terms are recorded. */
  readonly historyMs: number;
  /** The most terms that have ended; more are dropped earlier. */
  readonly historyRows: number;
}

/** Parts of the history that are dropped at a time. */
const SEGMENTS = 30;
const SEGMENTS_BY_ROWS = 10;
const LONGEST_SEGMENT_MS = 3 * 24 * 3_600_000;

/** Keeps the history within its bounds, by whole partitions. The newest one is never dropped. Answers how many terms that have ended are kept. */
export async function retainTerms(client: pg.ClientBase, schema: string, options: TermRetentionOptions): Promise<number> {
  const repository = new TermSegmentRepository(client, schema);
  if (options.historyMs === 0) await repository.forgetOpen();
  const newest = (await repository.segments()).at(-1);
  if (newest && isFull(newest, options)) await repository.begin(newest.segment + 1);
  await shortenLargest(repository, options);
  const segments = await repository.segments();
  const dropped = overdue(segments, options);
  const firstKept = segments[dropped]?.segment ?? 0;
  for (const partition of await repository.list()) {
    if (partition.segment > 0 && partition.segment < firstKept) await repository.remove(partition);
  }
  for (const { segment } of segments.slice(0, dropped)) await repository.forget(segment);
  return segments.slice(dropped).reduce((sum, { terms }) => sum + terms, 0);
}

/**
 * Where there are too many terms, the oldest of the namespaces with the most make way, so that no namespace costs another one its history. A single
 * namespace loses its oldest segment instead.
 */
async function shortenLargest(repository: TermSegmentRepository, { historyRows }: TermRetentionOptions): Promise<void> {
  const segments = await repository.segments();
  const newest = segments.at(-1);
  if (!newest || segments.reduce((sum, { terms }) => sum + terms, 0) <= historyRows) return;
  const counts = await repository.countByNamespace(newest.segment);
  if (counts.length < 2) return;
  await repository.shorten(newest.segment, fairShare(counts, historyRows - historyRows / SEGMENTS_BY_ROWS - newest.terms));
}

/** The most that each may have if all together may have `total`, and what some do not need is for the others. */
export function fairShare(counts: readonly number[], total: number): number {
  let left = Math.max(0, total);
  const ascending = counts.toSorted((a, b) => a - b);
  for (const [at, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (count > share) return share;
    left -= count;
  }
  return ascending.at(-1) ?? 0;
}

function isFull({ terms, ageMs }: TermSegment, { historyMs, historyRows }: TermRetentionOptions): boolean {
  return terms > 0 && (ageMs >= Math.min(historyMs / SEGMENTS, LONGEST_SEGMENT_MS) || terms >= historyRows / SEGMENTS_BY_ROWS);
}

/**
 * How many segments, from the oldest one on, have only terms that ended too long ago, or are too many. The last term of one ended before the
 * next one began.
 */
export function overdue(segments: readonly TermSegment[], { historyMs, historyRows }: TermRetentionOptions): number {
  let rows = 0;
  for (let at = segments.length - 1; at >= 0; at--) {
    rows += segments[at]?.terms ?? 0;
    const next = segments[at + 1];
    if (next && (next.ageMs > historyMs || rows > historyRows)) return at + 1;
  }
  return 0;
}

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
type TermSegment = RowOf<typeof LIST_TERM_SEGMENTS>;

/** The partitions of terms that have ended. Open terms are in partition 0, which stays. */
class TermSegmentRepository extends PartitionRepository {
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
