import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Database } from '../../../src/storage/database/database.js';
import { appliedMigrations, migrateDatabase, revertDatabase } from '../../../src/storage/database/migrations/migrate-database.js';
import type { TestDatabase } from '../../support/test-database.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { storeUrl } from '../../support/store-url.js';
import { eventually } from '../../support/eventually.js';
import { openTestStore, silent } from '../storage/open-test-store.js';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test.each([
  ['public', 'coordination_changes'],
  ['leases_2', 'coordination_changes_leases_2'],
  ['Other "Schema" \'x\'', 'coordination_changes'],
])('the functions work in the schema %s, and notify its servers', async (schema, channel) => {
  const store = await openTestStore('', { database: { url: database.url, schema } });
  try {
    const quoted = pg.escapeIdentifier(schema);
    const channels: string[] = [];
    client.on('notification', (message) => channels.push(message.channel));
    await client.query(`listen ${channel}; revoke create on schema ${quoted} from public`); // PostgreSQL 14
    await client.query(`call ${quoted}.lease_create_namespace('default')`);
    const { rows } = await client.query<{ token: string }>(`call ${quoted}.lease_acquire('default', 'a', 'holder', '15s')`);
    await eventually(() => channels.length >= 2);
    expect(new Set(channels)).toEqual(new Set([channel]));
    await client.query(`select ${quoted}.lease_grant('pg_monitor', 'default'), ${quoted}.lease_assert('default', 'a', ${rows[0]!.token})`);
    await client.query(`select ${quoted}.lease_revoke('pg_monitor', 'default')`);
    const { object } = await store.get({ resource: 'leases.coordination.k8s.io', namespace: 'default', name: 'a' }, { kind: 'latest' });
    expect(String(object!.revision)).toBe(rows[0]!.token);
    await client.query(`unlisten ${channel}`);
  } finally {
    client.removeAllListeners('notification');
    await store.close();
  }
});

test('the migration is reverted and applied again, and leaves nothing behind', async () => {
  await (await openTestStore('', { database: { url: database.url, schema: 'reverted' } })).close();
  const reverting = new Database({ url: storeUrl(database.url), schema: 'reverted' }, silent);
  const left = async () => {
    const { rows } = await client.query<{ name: string }>(`
      select proname as name from pg_proc where pronamespace = 'reverted'::regnamespace
      union all select relname from pg_class where relnamespace = 'reverted'::regnamespace and relkind in ('r', 'c') and relname ~ '^lease_'
      order by 1`);
    return rows.map(({ name }) => name);
  };
  try {
    const before = await left();
    while ((await appliedMigrations(reverting)).includes('0007_lease_functions')) await revertDatabase(reverting);
    expect(await left()).toEqual(['lease_json', 'lease_time', 'leases_are_read_only']);
    await migrateDatabase(reverting);
    expect(await left()).toEqual(before);
  } finally {
    await reverting.close();
  }
});

test('the migration is not reverted under a table that is fenced', async () => {
  await (await openTestStore('', { database: { url: database.url, schema: 'fenced' } })).close();
  const reverting = new Database({ url: storeUrl(database.url), schema: 'fenced' }, silent);
  try {
    await client.query(`create table public.account (token bigint);
      create trigger fence before insert on public.account for each row execute function fenced.fence('default/a')`);
    const revert = async () => {
      while ((await appliedMigrations(reverting)).includes('0007_lease_functions')) await revertDatabase(reverting);
    };
    await expect(revert()).rejects.toThrow('cannot drop function fence');
    await client.query('drop table public.account');
    await revert();
  } finally {
    await reverting.close();
  }
});
