import { expect, test } from '@jest/globals';
import { describeWith, GO, PGBOUNCER } from '../toolchain.js';
import { runRace } from './run-race.js';

describeWith([GO, PGBOUNCER], 'client-go, SQL, the packages and the shell on the same leases', () => {
  test('no two hold a lease, and no stale write commits, while they are killed, paused and cut off', async () => {
    const report = await runRace({ leases: 2, processes: { sql: 4, go: 2, typescript: 2, shell: 2, shelldb: 2 }, seconds: 15, writers: 2 });
    expect(report.failures).toEqual([]);
  });
});
