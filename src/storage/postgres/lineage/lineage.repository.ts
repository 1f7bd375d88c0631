import { sql } from 'kysely';
import type pg from 'pg';
import { DatabaseStartError } from '../../database/session/database-start-error.js';
import { INSTALLATION } from '../../database/session/session-settings.js';
import { type QueryBuilder, runStatement, sqlStatement, statement } from '../../database/statement/statement.js';
import { RevisionGaps } from '../../revisions.js';
import { selectHead } from './lineage-mark.js';

const place = sql<string>`pg_postmaster_start_time()::text || ' ' || pg_relation_filepath(counter.tableoid)`;
const installation = sql<string | null>`${sql.raw(INSTALLATION)}`;
const selectPlace = (db: QueryBuilder) => selectHead(db).select([installation.as('installation'), place.as('place')]);

const READ_PLACE = statement('read_place', [], selectPlace);
const LOCK_PLACE = statement('lock_place', [], (db) => selectPlace(db).forUpdate(['counter']));
const LIST_LINEAGES = statement('list_lineages', [], (db) =>
  db.selectFrom('revision_lineage').select(['id', 'ended', 'began']).orderBy('began'),
);

/** The history as seen by one connection, with the identity of its running PostgreSQL and files. */
export interface PlacedHistory extends DatabaseHistory {
  readonly place: string;
  /** The installation in these tables; null where no server has named it yet. */
  readonly installation: string | null;
}

/** The parameters of a new lineage. */
export interface NewLineage {
  readonly id: number;
  /** The last revision of the history that it continues. */
  readonly ended: number;
  /** The lineage also starts above this revision. */
  readonly above: number;
  readonly nowMs: number;
}

/** The counter's row and the table of lineages, through one connection. Methods reject with pg's error. */
export class LineageRepository {
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** With `lock`, the counter cannot change before the caller's transaction ends. */
  async read(lock: boolean): Promise<PlacedHistory> {
    const [head] = await runStatement(this.#client, lock ? LOCK_PLACE : READ_PLACE, []);
    if (!head) throw new DatabaseStartError('the table revision_counter or compaction is empty: restore a backup');
    const lineages = await runStatement(this.#client, LIST_LINEAGES, []);
    const { newest, lineage, at_home: home, compacted, place, installation } = head;
    return { value: newest, lineage, atHome: home, compacted, lineages, place, installation };
  }

  /** Starts a lineage; the counter must have been locked by `read`. Returns its first revision. */
  async begin({ id, ended, above, nowMs }: NewLineage): Promise<number> {
    const [row] = await runStatement(this.#client, BEGIN_LINEAGE, [id, above, Math.floor(nowMs * 1000), ended]);
    return row?.began ?? 0;
  }
}

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
const BEGIN_LINEAGE = sqlStatement<{ began: number }, readonly [id: number, above: number, clock: number, ended: number]>(
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

/** A lineage as stored in the database (migrations/0001_baseline.up.sql). */
export interface LineageRow {
  readonly id: number;
  /** The newest revision of the preceding lineage that belongs to this history. */
  readonly ended: number;
  /** The newest revision when this lineage started. */
  readonly began: number;
}

/** The history according to one copy of the database. */
export interface DatabaseHistory {
  readonly lineage: number;
  readonly value: number;
  /** Whether this running PostgreSQL and these files are the ones in which the lineage started. */
  readonly atHome: boolean;
  readonly compacted: number;
  readonly lineages: readonly LineageRow[];
}

/** The history known to a server: the newest revision that it has seen, and its lineage. */
export interface KnownHistory {
  readonly lineage: number;
  readonly newest: number;
}

/** The relation of a database's history to what a server knows. */
export interface Judgement {
  /** Whether everything that the server has seen belongs to this database's history. */
  readonly continuous: boolean;
  /** The last revision of this history, if a new lineage must be started before anything else. */
  readonly beginAfter?: number;
}

/**
 * Decides whether a database is the one that a server knows, or a continuation of it, and whether a new lineage must be started.
 *
 * A lineage is written in one place only, so copies of it differ only in length: a revision that a server saw in lineage L is part of this
 * history if L is, at least up to that revision. That needs no clock. If it is not part of it, clients must be able to tell by the numbers:
 * either the revision already lies in a gap, or a lineage is started above it.
 */
export function judgeHistory(database: DatabaseHistory, known: KnownHistory | undefined): Judgement {
  if (known === undefined) return database.atHome ? { continuous: true } : { continuous: true, beginAfter: database.value };
  const end = endOf(known.lineage, database);
  const continuous = end !== undefined && known.newest <= end;
  const told = known.newest < database.compacted || new RevisionGaps(database.lineages).has(known.newest);
  if (continuous || told) return database.atHome ? { continuous } : { continuous, beginAfter: database.value };
  return { continuous: false, beginAfter: Math.min(end ?? database.compacted, database.value) };
}

/** The newest revision of a lineage in this history; undefined if the lineage is not in it or has been compacted. */
function endOf(lineage: number, { lineages, lineage: current, value }: DatabaseHistory): number | undefined {
  const row = lineages.find(({ id }) => id === lineage);
  if (row === undefined) return lineage === current ? value : undefined;
  return lineages.reduce((least, { ended, began }) => (began > row.began ? Math.min(least, ended) : least), value);
}
