import type { Database } from '../database/database.js';
import { runStatement } from '../database/statement/run-statement.js';
import { statement } from '../database/statement/statement.js';
import { OBJECT_COLUMNS } from '../postgres/rows/object-row.js';
import type { BackupGrant, BackupHeader, BackupObject } from './backup-format.js';

/** What a backup contains. */
export interface Backup {
  readonly header: BackupHeader;
  readonly objects: readonly BackupObject[];
}

const READ_REVISION = statement('backup_revision', [], (db) => db.selectFrom('revision_counter').select('value'));
const LIST_SECRETS = statement('backup_secrets', [], (db) => db.selectFrom('server_state').select(['name', 'value']).orderBy('name'));
/** Without those of roles that have been dropped. Written in SQL, because the roles are not this server's table. */
const READ_GRANTS = `
  select r.rolname as role, a.namespace, a.most_leases as "mostLeases"
  from lease_access a join pg_roles r on r.oid = a.role order by 1, 2`;
/** All objects in key order. */
export const READ_ALL_OBJECTS = statement('read_all_objects', [], (db) =>
  db
    .selectFrom('objects')
    .select(['resource', ...OBJECT_COLUMNS])
    .orderBy('resource')
    .orderBy('path'),
);

/** Reads everything that is stored, at one revision, in one short transaction. */
export function readBackup(database: Database, now: Date): Promise<Backup> {
  return database.inSnapshot(async (client) => {
    const revision = (await runStatement(client, READ_REVISION, []))[0]?.value ?? 0;
    const shared = await runStatement(client, LIST_SECRETS, []);
    const grants = (await client.query<BackupGrant>(READ_GRANTS)).rows;
    const objects = await runStatement(client, READ_ALL_OBJECTS, []);
    return {
      header: { format: 'coordination-apiserver/backup', version: 1, revision, createdAt: now.toISOString(), shared, grants },
      objects,
    };
  });
}
