import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { connected } from '../../support/connected.js';
import pg from 'pg';
import { createEmptyDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/eventually.js';
import { openTestStore } from '../storage/open-test-store.js';

const database = forAllTests(() => createEmptyDatabase());
const client = forAllTests(() => connected(database.url));

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
