import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { runStatement } from '../database/statement/run-statement.js';
import { statement } from '../database/statement/statement.js';
import type { Backup } from './backup.js';
import { beginAbove } from './bump-revision.js';
import { CANNOT_TELL, whoServes } from './serving-sessions.js';

/** Options of a restore. */
export interface RestoreOptions {
  /** Replaces existing objects; otherwise a database with objects is rejected. */
  readonly replace: boolean;
  /** Receives, in one line, what could not be checked or restored. */
  readonly warn: (text: string) => void;
  readonly onProgress?: (done: number, of: number) => void;
}

/** The reason why a backup is not restored, in one line. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

const CHUNK = 1000;
const LOCK_COUNTER = statement('restore_lock', [], (db) => db.selectFrom('revision_counter').select('value').forUpdate());
const COUNT_OBJECTS = statement('restore_count', [], (db) => db.selectFrom('objects').select(sql<number>`count(*)::int`.as('count')));
const DELETE_OBJECTS = statement('restore_delete', [], (db) => db.deleteFrom('objects'));
/** Inserts in chunks of arrays. Written in SQL, like the two below, because Kysely would not type the arrays or the result of unnest. */
const INSERT = `
  insert into objects (resource, path, uid, revision, terminating, data)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::text[])`;
const SHARED = `
  insert into server_state (name, value) select * from unnest($1::text[], $2::text[])
  on conflict (name) do update set value = excluded.value`;
const HAS_ROLE = 'select from pg_roles where rolname = $1';
const GRANT = 'select lease_grant(quote_ident($1)::regrole, $2, $3)';
/** The log has no entries for the restored objects, so its segment starts after them. */
const START_SEGMENT = `
  with counter as (update revision_counter set segment_start = value returning value, segment)
  update log_segment set start_revision = counter.value from counter where log_segment.segment = counter.segment`;

/**
 * Restores a backup in one transaction. Revisions continue in a new lineage, above those of the backup and of the database, and everything
 * before is compacted, so that no revision is ever used twice. Returns the new revision. Rejects with RestoreRefused.
 */
export async function restoreBackup(database: Database, { header, objects }: Backup, options: RestoreOptions): Promise<number> {
  const client = await database.connect('command');
  try {
    const served = await whoServes(database);
    if (served.by === 'servers') throw new RestoreRefused(served.why);
    if (served.by === 'unknown') options.warn(CANNOT_TELL);
    await client.query('begin');
    await runStatement(client, LOCK_COUNTER, []);
    const count = (await runStatement(client, COUNT_OBJECTS, []))[0]?.count ?? 0;
    if (count > 0 && !options.replace) {
      throw new RestoreRefused(`the database has ${count} objects: use an empty one, or pass --replace to delete them`);
    }
    await runStatement(client, DELETE_OBJECTS, []);
    for (let at = 0; at < objects.length; at += CHUNK) {
      await insert(client, objects.slice(at, at + CHUNK));
      options.onProgress?.(Math.min(at + CHUNK, objects.length), objects.length);
    }
    await client.query(SHARED, [header.shared.map(({ name }) => name), header.shared.map(({ value }) => value)]);
    await grant(client, header.grants ?? [], options.warn);
    const revision = await beginAbove(client, header.revision);
    await client.query(START_SEGMENT);
    await client.query('commit');
    return revision;
  } finally {
    // Ending the connection rolls back an open transaction.
    await client.end();
  }
}

/** Roles belong to the whole PostgreSQL and are not restored; grants that the database has already stay. */
async function grant(client: pg.ClientBase, grants: NonNullable<Backup['header']['grants']>, warn: RestoreOptions['warn']): Promise<void> {
  for (const { role, namespace, mostLeases } of grants) {
    if ((await client.query(HAS_ROLE, [role])).rowCount === 1) await client.query(GRANT, [role, namespace, mostLeases]);
    else warn(`role "${role}" does not exist here: what lease_grant gave it in namespace "${namespace}" is not restored`);
  }
}

async function insert(client: pg.ClientBase, objects: Backup['objects']): Promise<void> {
  await client.query(INSERT, [
    objects.map(({ resource }) => resource),
    objects.map(({ path }) => path),
    objects.map(({ uid }) => uid),
    objects.map(({ revision }) => revision),
    objects.map(({ terminating }) => terminating),
    objects.map(({ data }) => data),
  ]);
}
