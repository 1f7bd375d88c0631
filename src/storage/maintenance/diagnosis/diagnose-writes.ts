import pg from 'pg';
import type { Diagnosis } from './diagnosis.js';

/** Enough for a new file and its log: a full disk may still have room for a row. */
const PROBE_ROWS = 1000;
const PATIENCE_MS = 5_000;

/** Tries a write of a table of its own, and rolls it back: writes fail where reads do not, on a full disk or a standby. */
export async function diagnoseWrites(client: pg.ClientBase, schema: string): Promise<Diagnosis> {
  const check = 'writes';
  const began = performance.now();
  const probe = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(`write_probe_${process.pid}`)}`;
  try {
    await client.query('begin');
    await client.query(`set local statement_timeout = ${PATIENCE_MS}`);
    await client.query(`create table ${probe} (content text)`);
    await client.query(`insert into ${probe} select repeat('x', 1000) from generate_series(1, ${PROBE_ROWS})`);
    return { check, state: 'ok', detail: `a write that was tried and rolled back took ${Math.round(performance.now() - began)} ms` };
  } catch (error) {
    return { check, state: 'problem', detail: `a write that was tried fails: ${(error as Error).message}` };
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}
