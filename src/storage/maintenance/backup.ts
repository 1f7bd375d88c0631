import type pg from 'pg';
import type { Database } from '../database/database.js';
import type { BackupHeader, BackupObject } from './backup-format.js';

export interface Backup {
  readonly header: BackupHeader;
  readonly objects: readonly BackupObject[];
}

const HEAD = 'select value from revision_counter';
const SHARED = 'select name, value from server_state order by name';
const OBJECTS = 'select resource, path, uid, revision, terminating, data from objects order by resource, path';

/** Everything that is stored, at one revision, read in one short transaction. */
export function readBackup(database: Database, now: Date): Promise<Backup> {
  return database.inSnapshot(async (client) => {
    const revision = (await client.query<{ value: number }>(HEAD)).rows[0]?.value ?? 0;
    const shared = (await client.query<{ name: string; value: string }>(SHARED)).rows;
    const objects = (await client.query<BackupObject & pg.QueryResultRow>(OBJECTS)).rows;
    return {
      header: { format: 'coordination-apiserver/backup', version: 1, revision, createdAt: now.toISOString(), shared },
      objects,
    };
  });
}
