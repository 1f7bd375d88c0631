import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../../src/storage/database/start/open-database.js';
import { describeWith, PGBOUNCER } from '../../clients/toolchain.js';
import { ask } from '../../support/http-client.js';
import { type PgBouncer, type PoolMode, startPgBouncer } from '../../support/pgbouncer.js';
import { scrapeUntil } from '../../support/scrape.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { type TestDatabase, createTestDatabase } from '../../support/test-database.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

describeWith([PGBOUNCER], 'behind PgBouncer', () => {
  describe.each<{ mode: PoolMode; listening: number }>([
    { mode: 'session', listening: 1 },
    { mode: 'transaction', listening: 0 },
  ])('in $mode mode', ({ mode, listening }) => {
    let database: TestDatabase;
    let bouncer: PgBouncer;
    const servers: ServerProcess[] = [];

    beforeAll(async () => {
      database = await createTestDatabase();
      bouncer = await startPgBouncer(database.url, mode);
      for (let count = 0; count < 2; count++) servers.push(await startServerProcess({ databaseUrl: bouncer.url(database.url) }));
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await bouncer.stop();
      await database.drop();
    });

    test("two servers write and see each other's writes", async () => {
      const [one, other] = servers as [ServerProcess, ServerProcess];
      const body = { metadata: { name: 'pooled' }, spec: { holderIdentity: 'a' } };
      expect((await ask(`${one.url}${LEASES}`, { method: 'POST', body })).status).toBe(201);
      for (const server of servers) await scrapeUntil(server.url, `coordination_database_listening ${listening}`);
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
    const database = await createTestDatabase();
    const bouncer = await startPgBouncer(database.url, 'statement');
    try {
      await expect(openDatabase({ url: bouncer.url(database.url) }, pino({ level: 'silent' }))).rejects.toThrow('statement pooling mode');
    } finally {
      await bouncer.stop();
      await database.drop();
    }
  });
});
