import pg from 'pg';
import { createTestDatabase } from '../../support/test-database.js';

test('a test database can be used and dropped while connections are open', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  expect((await client.query('select count(*) > 0 as migrated from schema_migration')).rows).toEqual([{ migrated: true }]);
  await database.drop();
  await expect(new pg.Client({ connectionString: database.url }).connect()).rejects.toMatchObject({ code: '3D000' });
});
