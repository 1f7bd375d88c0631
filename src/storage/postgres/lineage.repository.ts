import type pg from 'pg';
import type { DatabasePast, LineageRow } from './judge-past.js';

/**
 * Whether the counter's row is where its lineage began: in the same files, under the same run of PostgreSQL. Costs neither a lookup in a
 * table nor a right: no copy, restored backup, promoted standby or restarted server has both. `alias` names the counter.
 */
export const atHome = (alias: string): string =>
  `(${alias}.server_started = pg_postmaster_start_time() and ${alias}.counter_file = pg_relation_filepath(${alias}.tableoid))`;

/** Columns of a LineageMark; the counter is called `counter`. */
export const MARK_COLUMNS = `counter.value as newest, counter.lineage, ${atHome('counter')} as at_home`;

/** Far above what can have been given out between, where the clock is behind the counter and cannot tell. */
const BLIND_JUMP = 1_000_000_000;

const READ = `
  select ${MARK_COLUMNS}, compaction.revision as compacted,
         pg_postmaster_start_time()::text || ' ' || pg_relation_filepath(counter.tableoid) as place
  from revision_counter counter cross join compaction`;
const LINEAGES = 'select id, ended, began from revision_lineage order by began';

/** The counter of a database that nothing was ever written to (migrations/0002_revision_log.up.sql). */
const FIRST_REVISION = 1000;

/**
 * The first lineage of a new database begins where the counter stands: nothing can have been lost, and clients may take numbers far above
 * those of a young server for revisions that are still to come, as kube-apiserver's are.
 *
 * $1: the new lineage, $2: a revision to begin above, $3: this process's clock in microseconds, $4: where the history ended.
 */
const BEGIN = `
  with clock as (
    select greatest($3::bigint, (extract(epoch from clock_timestamp()) * 1000000)::bigint) as now
  ), counter as (
    update revision_counter counter
    set value = greatest(case when counter.lineage = 0 and value = ${FIRST_REVISION} and $2::bigint = 0 then value
                              when clock.now > value then clock.now
                              else value + ${BLIND_JUMP} end, $2::bigint + 1),
        lineage = $1::bigint, server_started = pg_postmaster_start_time(), counter_file = pg_relation_filepath(counter.tableoid)
    from clock
    returning value
  )
  insert into revision_lineage (id, ended, began) select $1::bigint, $4::bigint, value from counter returning began`;

/** What a statement tells of the lineage beside its answer. */
export interface LineageMark {
  readonly newest: number;
  readonly lineage: number;
  /** Whether it comes from where this lineage is written. */
  readonly at_home: boolean;
}

interface HeadRow extends pg.QueryResultRow, LineageMark {
  readonly compacted: number;
  readonly place: string;
}

/** What one connection sees, and of which running PostgreSQL and files. */
export interface PlacedPast extends DatabasePast {
  readonly place: string;
}

export interface NewLineage {
  readonly id: number;
  /** The last revision of the history that goes on. */
  readonly ended: number;
  /** It begins above this one too. */
  readonly above: number;
  readonly nowMs: number;
}

/** The counter's row and the table of lineages, through one connection. */
export class LineageRepository {
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** `lock`: nobody changes it before the transaction ends. */
  async read(lock: boolean): Promise<PlacedPast> {
    const { rows } = await this.#client.query<HeadRow>(lock ? `${READ} for update of counter` : READ);
    const head = rows[0];
    if (!head) throw new Error('the table revision_counter or compaction is empty');
    const lineages = (await this.#client.query<LineageRow & pg.QueryResultRow>(LINEAGES)).rows;
    const { newest, lineage, at_home: home, compacted, place } = head;
    return { value: newest, lineage, atHome: home, compacted, lineages, place };
  }

  /** With the counter locked by `read`. Answers the revision with which it begins. */
  async begin({ id, ended, above, nowMs }: NewLineage): Promise<number> {
    const { rows } = await this.#client.query<{ began: number }>(BEGIN, [id, above, Math.floor(nowMs * 1000), ended]);
    return rows[0]?.began ?? 0;
  }
}
