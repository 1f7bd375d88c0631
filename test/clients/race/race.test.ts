import { expect, test } from '@jest/globals';
import { CURL, describeWith, GO, PGBOUNCER } from '../toolchain.js';
import { runRace } from './run-race.js';

const PACE = { every: { least: 200, most: 800 }, stopped: { least: 500, most: 6000 } };
const LEADERS_ALONE = { ...PACE, ofHolders: 1 };

describeWith([GO, PGBOUNCER, CURL], 'client-go, SQL, curl, the packages and the shell on the same leases', () => {
  test('no two hold a lease, and no stale write commits, while they are killed, paused, cut off and told to stop', async () => {
    const processes = { sql: 4, go: 2, typescript: 2, curl: 2, shell: 2, shelldb: 2 };
    const report = await runRace({ leases: 2, processes, seconds: 15, writers: 2, pace: PACE });
    expect(report.failures).toEqual([]);
  });
});

describeWith([GO, PGBOUNCER], 'terms that are handed over beside client-go', () => {
  test('between contenders of several priorities no two hold a lease, and both causes occur', async () => {
    const processes = { go: 1, typescript: 1, typescriptterm: 3, shellterm: 3 };
    const report = await runRace({ leases: 2, processes, seconds: 40, writers: 2, pace: { ...PACE, every: { least: 2000, most: 5000 } } });
    expect(report.failures).toEqual([]);
  });
});

describeWith([GO, PGBOUNCER], 'client-go and packages/leader-election on the same leases', () => {
  test('leaders that are killed, paused, cut off or told to stop are replaced, and the terms are what a watch of another server shows', async () => {
    const report = await runRace({ leases: 2, processes: { go: 2, typescript: 6 }, seconds: 25, writers: 2, pace: LEADERS_ALONE });
    expect(report.failures).toEqual([]);
    expect(Object.values(report.ofLeaders).every((count) => count > 0)).toBe(true);
  });
});
