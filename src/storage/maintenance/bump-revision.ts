import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Database } from '../database/database.js';
import { runStatement } from '../database/statement/run-statement.js';
import { bigint } from '../database/statement/sql-type.js';
import { statement } from '../database/statement/statement.js';
import { LineageRepository } from '../postgres/lineage/lineage.repository.js';

const COMPACT = statement('compact_everything', [bigint], (db, [revision]) => db.updateTable('compaction').set({ revision }));

/**
 * Begins a lineage above the clock and above a revision, within the caller's transaction, and marks everything before as compacted:
 * whatever clients have seen, they list again. Answers the revision with which it begins.
 */
export async function beginAbove(client: pg.ClientBase, above: number): Promise<number> {
  const repository = new LineageRepository(client);
  const { compacted } = await repository.read(true);
  const began = await repository.begin({ id: 1 + randomInt(2 ** 47), ended: compacted, above, nowMs: Date.now() });
  await runStatement(client, COMPACT, [began]);
  return began;
}

/** The same in a transaction of its own. */
export async function bumpRevision(database: Database, above: number): Promise<number> {
  const client = await database.connect('command');
  try {
    await client.query('begin');
    const began = await beginAbove(client, above);
    await client.query('commit');
    return began;
  } finally {
    // An open transaction ends with its connection.
    await client.end();
  }
}
