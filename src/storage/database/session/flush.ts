import type pg from 'pg';
import { SYNCHRONOUS_COMMIT } from './session-settings.js';

/** The oid of pg_logical_emit_message in all versions of PostgreSQL, whose arguments differ. */
const EMIT_MESSAGE = 3577;

/** What leases in SQL look at as well (lease-write.sql): without the right to flush, no commit of theirs is visible before it is on disk. */
const PREPARE_FLUSH = `select set_config('synchronous_commit', ${SYNCHRONOUS_COMMIT}, true), has_function_privilege(${EMIT_MESSAGE}::oid, 'execute') as may`;

/** A record of its own, without which a commit waits for nothing; nobody reads it. */
const FLUSH = `select pg_logical_emit_message(true, 'coordination', '')`;

/**
 * Makes the commit of the transaction wait until everything that it has read is on disk, and on the synchronous standby where one is named. Also in a
 * transaction that is read-only.
 */
export async function flushWithCommit(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(PREPARE_FLUSH);
  if (rows[0]?.may) await client.query(FLUSH);
}
