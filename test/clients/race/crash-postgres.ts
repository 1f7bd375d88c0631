import type pg from 'pg';
import { eventually } from '../../support/eventually.js';

/** Kills a process of PostgreSQL, which then ends all others and recovers from its log; resolves when it answers again. */
export async function crashPostgres(database: pg.Pool): Promise<void> {
  const { rows } = await database.query<{ pid: number }>(`select pid from pg_stat_activity where backend_type = 'walwriter'`);
  const [walWriter] = rows;
  if (!walWriter) throw new Error('this user may not see the processes of PostgreSQL');
  process.kill(walWriter.pid, 'SIGKILL');
  let failure: unknown;
  await eventually(
    () =>
      database.query(`select from pg_stat_activity where backend_type = 'walwriter' and pid <> $1`, [walWriter.pid]).then(
        ({ rowCount }) => rowCount === 1,
        (error: unknown) => {
          failure = error;
          return false;
        },
      ),
    () => `PostgreSQL does not come back: ${String(failure)}`,
  );
}
