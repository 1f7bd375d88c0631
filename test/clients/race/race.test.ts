import { expect, test } from '@jest/globals';
import { CURL, describeWith, GO, PGBOUNCER } from '../toolchain.js';
import { runRace } from './run-race.js';

describeWith([GO, PGBOUNCER, CURL], 'client-go, SQL, curl, the packages and the shell on the same leases', () => {
  test('no two hold a lease, and no stale write commits, while they are killed, paused and cut off', async () => {
    const processes = { sql: 4, go: 2, fabric8: 0, typescript: 2, curl: 2, shell: 2, shelldb: 2 };
    const report = await runRace({ leases: 2, processes, seconds: 15, writers: 2 });
    expect(report.failures).toEqual([]);
  });
});
