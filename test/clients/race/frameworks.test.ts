import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase } from '../../support/test-database.js';
import { ClientProcess } from '../client-process.js';
import { describeWith, GO, PGBOUNCER, PYTHON, PYTHON_VENV, RUFUS } from '../toolchain.js';
import { createFencedTables } from './fenced-tables.js';
import { BEAT_ENTRY, frameworkPrograms } from './framework-programs.js';
import type { Framework } from './kinds.js';
import { runRace } from './run-race.js';

const LEASE = 'nightly-report';
const PACE = { every: { least: 300, most: 900 }, stopped: { least: 500, most: 5000 } };

const itKeepsOneHolder = (processes: Readonly<Partial<Record<Framework, number>>>) =>
  test('no two hold the lease, and no stale write commits, while they are killed, paused and cut off', async () => {
    const { failures } = await runRace({ leases: 1, processes, seconds: 4, writers: 2, pace: PACE });
    expect(failures).toEqual([]);
  });

/** A program of a framework in a database of its own, started by `start`. */
async function onItsOwn(framework: Framework, use: (start: () => ClientProcess, database: pg.Pool) => Promise<void>): Promise<void> {
  const queue = mkdtempSync(path.join(tmpdir(), 'queue-'));
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await pool.query(`call coordination.lease_create_namespace('default')`);
  await createFencedTables(pool, [LEASE]);
  await pool.query(BEAT_ENTRY);
  const launch = await frameworkPrograms([framework], ['false']);
  const way = { lease: LEASE, databaseUrl: database.url, server: '', token: '', caFile: '', kubeconfig: '', queue };
  const [command, ...args] = launch(framework, way)('me');
  const started: ClientProcess[] = [];
  const start = () => {
    started.push(new ClientProcess(command, args));
    return started.at(-1) as ClientProcess;
  };
  try {
    await use(start, pool);
  } finally {
    for (const program of started) await program.kill();
    await pool.end();
    await database.drop();
    rmSync(queue, { recursive: true });
  }
}

const itFreesTheLease = (framework: Framework) =>
  test.concurrent(`${framework}: a program that is told to stop writes under its token until then, and frees the lease`, () =>
    onItsOwn(framework, async (start, database) => {
      const program = start();
      await program.line(/^written \d+$/);
      program.signal('SIGTERM');
      await eventually(
        () => program.ended === 0,
        () => `${program.ended ?? 'still runs'}:\n${program.lines.join('\n')}`,
      );
      expect((await database.query('select holder from coordination.leases')).rows).toEqual([{ holder: '' }]);
    }),
  );

const SESSIONS = 'select sessions::int as count from pg_stat_database where datname = current_database()';
const COUNTED_HERE = `select pg_stat_get_tuples_inserted('coordination_tables.lease_seen'::regclass)::int as count`;

const itGoesByItsOwnClock = (framework: Framework) =>
  test.concurrent(
    `${framework}: a program that waits says how long it has seen the lease unchanged, so that PostgreSQL does not count`,
    () =>
      onItsOwn(framework, async (start, database) => {
        const count = async (query: string) => (await database.query<{ count: number }>(query)).rows[0]?.count;
        await database.query(`call coordination.lease_acquire('default', $1, 'another', '1 h')`, [LEASE]);
        const program = start();
        // each call has a session of its own
        await eventually(
          async () => Number(await count(SESSIONS)) > 4,
          () => `nobody asks:\n${program.lines.join('\n')}`,
        );
        expect(await count(COUNTED_HERE)).toBe(0);
      }),
  );

describeWith([GO, PGBOUNCER, PYTHON, PYTHON_VENV], 'APScheduler and Celery beat', () => {
  for (const framework of ['apscheduler', 'celery'] as const) {
    itFreesTheLease(framework);
    itGoesByItsOwnClock(framework);
  }
  itKeepsOneHolder({ apscheduler: 2, celery: 2 });
});
describeWith([GO, PGBOUNCER, RUFUS], 'rufus-scheduler', () => {
  itFreesTheLease('rufus');
  itGoesByItsOwnClock('rufus');
  itKeepsOneHolder({ rufus: 3 });
});
