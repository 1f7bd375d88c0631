import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { apiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { startServerProcess } from '../../support/server-process.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { serverUrl } from '../../support/test-database.js';
import { mustRun } from '../run-program.js';
import { describeWith, GO, JAVAC, MAVEN, PGBOUNCER } from '../toolchain.js';
import { buildJavaExamples, javaClasses, jdbcUrl } from './framework-programs.js';
import { runRace } from './run-race.js';

describeWith([MAVEN, JAVAC, PGBOUNCER], "ShedLock's and Spring Integration's locks", () => {
  test('keep what their interfaces promise', async () => {
    await buildJavaExamples();
    const folder = mkdtempSync(path.join(tmpdir(), 'contracts-'));
    const server = await startServerProcess();
    const bouncer = await startPgBouncer(serverUrl(), 'transaction');
    try {
      const { caFile, token } = await apiAccess(server);
      await mustRun('javac', ['-Xlint:all', '-Werror', '-cp', javaClasses, '-d', folder, 'Contracts.java'], {
        cwd: path.resolve(import.meta.dirname, '../java-frameworks'),
      });
      const env = { JDBC_URL: jdbcUrl(bouncer.url(server.databaseUrl)), SERVER: server.url, TOKEN: token, CA_FILE: caFile };
      const contracts = (await mustRun('java', ['-cp', `${folder}:${javaClasses}`, 'Contracts'], { env })).trim().split('\n');
      expect(contracts.filter((line) => !line.startsWith('holds: '))).toEqual([]);
      expect(contracts).toHaveLength(21);
    } finally {
      await bouncer.stop();
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

describeWith([GO, MAVEN, JAVAC, PGBOUNCER], 'programs with ShedLock and Spring Integration', () => {
  test.each(['shedlock', 'spring'] as const)(
    '%s: no two hold the lease, and no stale write commits, while they are disturbed',
    async (framework) => {
      const pace = { every: { least: 1000, most: 3000 }, stopped: { least: 3000, most: 8000 } };
      const { failures } = await runRace({ leases: 1, processes: { [framework]: 3 }, seconds: 20, writers: 2, pace });
      expect(failures).toEqual([]);
    },
  );
});
