import type pg from 'pg';
import type { Database } from '../database/database.js';
import { runStatement, statement } from '../database/statement/statement.js';
import { OBJECT_COLUMNS } from '../postgres/rows/object-row.js';
import { type CopiedTerm, COPY_ENDED_TERMS, COPY_OPEN_TERMS } from '../postgres/terms/copy-terms.js';
import { type CopiedStateVersion, COPY_STATE_VERSIONS } from '../postgres/states/state-statements.js';
import type { BackupContent, BackupGrant } from './backup-format.js';

/** Number of terms read at a time. */
const PAGE = 1_000;
/** Number of versions of states read at a time. */
const STATE_PAGE = 10;
const READ_REVISION = statement('backup_revision', [], (db) => db.selectFrom('revision_counter').select('value'));
const LIST_SECRETS = statement('backup_secrets', [], (db) => db.selectFrom('server_state').select(['name', 'value']).orderBy('name'));
/** Without those of roles that have been dropped. Written in SQL, because the roles are not this server's table. */
const READ_GRANTS = `
  select r.rolname as role, a.namespace, a.most_leases as "maxLeases"
  from lease_access a join pg_roles r on r.oid = a.role order by 1, 2`;
/** All objects in key order. */
export const READ_ALL_OBJECTS = statement('read_all_objects', [], (db) =>
  db
    .selectFrom('objects')
    .select(['resource', ...OBJECT_COLUMNS])
    .orderBy('resource')
    .orderBy('path'),
);

/**
 * Reads everything that is stored, at one revision. Objects and open terms are read in one short transaction. Terms that had ended by then
 * no longer change; they are read page by page, for which the database must stay open. So are the states, which are no part of the revision: a
 * version does not change either, but one that was stored later may be in the backup, and one that was removed meanwhile is not.
 */
export async function readBackup(database: Database, now: Date): Promise<BackupContent> {
  const { open, ...backup } = await database.inSnapshot((client) => readSnapshot(client, now));
  return { ...backup, terms: allTerms(database, open, backup.header.revision), states: allStates(database) };
}

async function readSnapshot(client: pg.ClientBase, now: Date) {
  const revision = (await runStatement(client, READ_REVISION, []))[0]?.value ?? 0;
  const shared = await runStatement(client, LIST_SECRETS, []);
  const grants = (await client.query<BackupGrant>(READ_GRANTS)).rows;
  const objects = await runStatement(client, READ_ALL_OBJECTS, []);
  const open = await runStatement(client, COPY_OPEN_TERMS, []);
  const header = { format: 'coordination-apiserver/backup', version: 3, revision, createdAt: now.toISOString(), shared, grants } as const;
  return { header, objects, open: open.map(({ term }) => term) };
}

async function* allTerms(database: Database, open: readonly CopiedTerm[], revision: number): AsyncGenerator<CopiedTerm> {
  yield* open;
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: { term: CopiedTerm; path: string }[] = await database.query(COPY_ENDED_TERMS, [revision, after, PAGE]);
    for (const { term } of page) yield term;
    after = page.length === PAGE ? page.at(-1)?.path : undefined;
  }
}

async function* allStates(database: Database): AsyncGenerator<CopiedStateVersion> {
  for (let after: { state: string; version: number } | undefined = { state: '', version: 0 }; after;) {
    const page: CopiedStateVersion[] = await database.query(COPY_STATE_VERSIONS, [after.state, after.version, STATE_PAGE]);
    yield* page;
    after = page.at(-1);
  }
}
