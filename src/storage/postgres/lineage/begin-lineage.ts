import { sqlStatement } from '../../database/statement/statement.js';

/** A jump far beyond anything that can have been assigned meanwhile, for a clock that is behind the counter and therefore cannot tell. */
const BLIND_JUMP = 1_000_000_000;

/** The counter of a database that has never been written to (migrations/0001_baseline.up.sql). */
const FIRST_REVISION = 1000;

/**
 * Starts a lineage in the current place: moves the counter to the clock in microseconds, or above `above` if that is higher, and records
 * both ends of the gap. Returns the first revision of the lineage. The caller must hold the lock of the counter.
 *
 * The first lineage of a new database starts at the counter's current value: nothing can have been lost, and clients may mistake numbers
 * far above those of a young server, such as a kube-apiserver's, for future revisions.
 *
 * Written in SQL, because a data-modifying CTE with `greatest`, `case` and system columns is no shorter in Kysely, and untyped there as
 * well. $1 the new lineage, $2 a revision to start above, $3 this process's clock in microseconds, $4 the last revision of the old history.
 */
export const BEGIN_LINEAGE = sqlStatement<{ began: number }, readonly [id: number, above: number, clock: number, ended: number]>(
  'begin_lineage',
  `
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
  insert into revision_lineage (id, ended, began) select $1::bigint, $4::bigint, value from counter returning began`,
);
