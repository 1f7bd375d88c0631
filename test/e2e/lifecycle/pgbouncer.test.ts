import { pino } from 'pino';
import { describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { openDatabase } from '../../../src/storage/database/start/open-database.js';
import { describeWith, PGBOUNCER } from '../../clients/toolchain.js';
import { ask } from '../../support/http-client.js';
import { type PoolMode, startPgBouncer } from '../../support/pgbouncer.js';
import { scrapeUntil } from '../../support/scrape.js';
import { startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

describeWith([PGBOUNCER], 'behind PgBouncer', () => {
  describe.each<{ mode: PoolMode; listening: number }>([
    { mode: 'session', listening: 1 },
    { mode: 'transaction', listening: 0 },
  ])('in $mode mode', ({ mode, listening }) => {
    const database = forAllTests(() => createTestDatabase());
    const bouncer = forAllTests(() => startPgBouncer(database.url, mode));
    const one = forAllTests(() => startServerProcess({ databaseUrl: bouncer.url(database.url) }));
    const other = forAllTests(() => startServerProcess({ databaseUrl: bouncer.url(database.url) }));

    test("two servers write and see each other's writes", async () => {
      const body = { metadata: { name: 'pooled' }, spec: { holderIdentity: 'a' } };
      expect((await ask(`${one.url}${LEASES}`, { method: 'POST', body })).status).toBe(201);
      for (const server of [one, other]) await scrapeUntil(server.url, `coordination_database_listening ${listening}`);
      for (let round = 0; round < 20; round++) {
        const { json } = await ask(`${other.url}${LEASES}/pooled`);
        const renewed = await ask(`${one.url}${LEASES}/pooled`, {
          method: 'PUT',
          body: { ...json, spec: { holderIdentity: `b${round}` } },
        });
        expect(renewed.status).toBe(200);
      }
      expect((await ask(`${other.url}${LEASES}/pooled`)).json).toMatchObject({ spec: { holderIdentity: 'b19' } });
    });
  });

  test('no server starts in statement mode', async () => {
    await using database = await createTestDatabase();
    await using bouncer = await startPgBouncer(database.url, 'statement');
    await expect(openDatabase({ url: bouncer.url(database.url) }, pino({ level: 'silent' }))).rejects.toThrow('statement pooling mode');
  });
});
