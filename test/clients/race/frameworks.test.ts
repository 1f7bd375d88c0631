import { expect, test } from '@jest/globals';
import { describeWith, GO, PGBOUNCER, PYTHON, PYTHON_VENV, RUFUS } from '../toolchain.js';
import type { Framework } from './race-contestant.js';
import { runRace } from './run-race.js';

const PACE = { every: { least: 300, most: 900 }, stopped: { least: 500, most: 5000 } };

const itKeepsOneHolder = (processes: Readonly<Partial<Record<Framework, number>>>) =>
  test('no two hold the lease, and no stale write commits, while they are killed, paused and cut off', async () => {
    const { failures } = await runRace({ leases: 1, processes, seconds: 4, writers: 2, pace: PACE });
    expect(failures).toEqual([]);
  });

describeWith([GO, PGBOUNCER, PYTHON, PYTHON_VENV], 'APScheduler and Celery beat', () => itKeepsOneHolder({ apscheduler: 2, celery: 2 }));
describeWith([GO, PGBOUNCER, RUFUS], 'rufus-scheduler', () => itKeepsOneHolder({ rufus: 3 }));
