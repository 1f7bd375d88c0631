import { sql } from 'kysely';
import { bigint, integer, text } from '../../database/statement/sql-type.js';
import { type RowOf, type Statement, sqlStatement, statement } from '../../database/statement/statement.js';

/** The row that orders the writers and readers of a state. It is committed by itself, so that readers find it to wait for. */
export const CREATE_STATE = statement('create_state', [text], (db, [path]) =>
  db
    .insertInto('terraform_state')
    .values({ path })
    .onConflict((conflict) => conflict.column('path').doNothing()),
);

/** Without it, refused writes would leave rows behind. */
export const FORGET_EMPTY_STATE = statement('forget_empty_state', [text], (db, [path]) =>
  db.deleteFrom('terraform_state').where('path', '=', path).where('newest', '=', sql.lit(0)),
);

/** `terraform_state_change` of migrations/functions/terraform-states.sql has the contract. */
export const CHANGE_STATE: Statement<
  { outcome: 'stored' | 'removed' | 'none' | 'moved' | 'missing' | 'terminating' | 'full' | 'share'; version: number | null },
  readonly [
    path: string,
    leaseRevision: number | null,
    data: string | null,
    writer: string,
    serial: number | null,
    lineage: string | null,
    maxVersions: number,
    maxStates: number,
    maxBytes: number,
    maxPercent: number,
  ]
> = sqlStatement('change_state', 'select * from terraform_state_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)');

/** Waits for a writer of the state, and answers what it has committed. */
export const READ_NEWEST_VERSION = statement('read_newest_state_version', [text], (db, [path]) =>
  db.selectFrom('terraform_state').select('newest').where('path', '=', path).forShare(),
);

export const READ_STATE_VERSION = statement('read_state_version', [text, bigint], (db, [path, version]) =>
  db.selectFrom('terraform_state_version').select(['version', 'data']).where('path', '=', path).where('version', '=', version),
);

/** The newest first. */
export const LIST_STATE_VERSIONS = statement('list_state_versions', [text], (db, [path]) =>
  db
    .selectFrom('terraform_state_version')
    .select(['version', 'written', 'writer', 'serial', 'lineage', 'bytes'])
    .where('path', '=', path)
    .orderBy('version', 'desc'),
);

/** The states of a namespace that is being deleted: by its name ($1) and uid ($2), and as the ends of the range of paths ($3, $4). */
export const REMOVE_STATES_OF_NAMESPACE = statement(
  'remove_states_of_namespace',
  [text, text, text, text],
  (db, [namespace, uid, from, to]) =>
    db
      .deleteFrom('terraform_state')
      .where('path', '>', from)
      .where('path', '<', to)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('objects')
            .select('path')
            .where('resource', '=', sql.lit('namespaces'))
            .where('path', '=', namespace)
            .where('uid', '=', uid)
            .where('terminating', '=', sql.lit(true)),
        ),
      ),
);

/** For metrics; `largestNamespace` in bytes. */
export const COUNT_STATES = statement('count_states', [], (db) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('terraform_state')
        .select([sql<number>`count(*)`.as('states'), sql<number>`sum(bytes)`.as('bytes')])
        .where('newest', '>', sql.lit(0))
        .groupBy(sql`split_part(path, '/', 1)`)
        .as('namespace'),
    )
    .select([
      sql<number>`coalesce(sum(states), 0)::bigint`.as('states'),
      sql<number>`coalesce(sum(bytes), 0)::bigint`.as('bytes'),
      sql<number>`coalesce(max(bytes), 0)::bigint`.as('largestNamespace'),
    ]),
);

/** A page of all versions, after one ($1, $2); $3 the most. */
export const COPY_STATE_VERSIONS = statement('copy_state_versions', [text, bigint, integer], (db, [path, version, limit]) =>
  db
    .selectFrom('terraform_state_version')
    .select(['path as state', 'version', 'written', 'writer', 'serial', 'lineage', 'data'])
    .where(sql<boolean>`(path, version) > (${path}, ${version})`)
    .orderBy('path')
    .orderBy('version')
    .limit(limit),
);

/** Adds copied versions ($1, a JSON array), to states that have none of these numbers. */
export const ADD_STATE_VERSIONS = sqlStatement<never, readonly [versions: string]>(
  'add_state_versions',
  `
    with copied as (
      select c.*, octet_length(c.data) as bytes
      from json_to_recordset($1::json) as c(state text, version bigint, written timestamptz, writer text, serial bigint, lineage text, data text)
    ), head as (
      insert into terraform_state as s (path, newest, bytes)
      select state, max(version), sum(bytes) from copied group by state
      on conflict (path) do update set newest = greatest(s.newest, excluded.newest), bytes = s.bytes + excluded.bytes
    )
    insert into terraform_state_version (path, version, written, writer, serial, lineage, bytes, data)
    select state, version, written, writer, serial, lineage, bytes, data from copied`,
);

/** A version of a state as a copy of its row; `state` is its path. */
export type CopiedStateVersion = RowOf<typeof COPY_STATE_VERSIONS>;
export type StateTotals = RowOf<typeof COUNT_STATES>;
