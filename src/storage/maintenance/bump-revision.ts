import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { runStatement, statement } from '../database/statement/statement.js';
import { bigint } from '../database/statement/database-tables.js';
import { LineageRepository } from '../postgres/lineage/lineage.repository.js';

const COMPACT = statement('compact_everything', [bigint], (db, [revision]) => db.updateTable('compaction').set({ revision }));

/**
 * Starts a lineage above the clock and above `above`, within the caller's transaction, and marks everything before it as compacted, so that
 * clients have to list again. Returns the first revision of the lineage.
 */
export async function beginAbove(client: pg.ClientBase, above: number): Promise<number> {
  const repository = new LineageRepository(client);
  const { compacted } = await repository.read(true);
  const began = await repository.begin({ id: 1 + randomInt(2 ** 47), ended: compacted, above, nowMs: Date.now() });
  await runStatement(client, COMPACT, [began]);
  return began;
}

/** Like `beginAbove`, in a transaction of its own. */
export async function bumpRevision(database: Database, above: number): Promise<number> {
  const client = await database.connect('command');
  try {
    await client.query('begin');
    const began = await beginAbove(client, above);
    await client.query('commit');
    return began;
  } finally {
    // Ending the connection rolls back an open transaction.
    await client.end();
  }
}
