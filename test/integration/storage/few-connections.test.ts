import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { createEmptyDatabase, serverUrl } from '../../support/test-database.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import { Workspace } from '../../suites/store-under-test.js';
import { connected, rowsOf } from '../../support/connected.js';
import { openTestStore } from './open-test-store.js';

/*
 * A server whose role has fewer sessions than it wants, after all of them have been ended: one that is idle gives its place to one that is needed.
 */
const role = `few_${randomBytes(4).toString('hex')}`;
afterAllTests(() => rowsOf(serverUrl(), `drop role ${role}`));
const database = forAllTests(() => createEmptyDatabase());
const superuser = forAllTests(() => connected(database.url));
let store: PostgresStore;
let space: Workspace;
let stored: StoredObject;

beforeAll(async () => {
  await superuser.query(`create role ${role} login password 'x'`);
  await superuser.query(`do $$ begin execute format('grant create on database %I to ${role}', current_database()); end $$`);
  const { host, port, database: name } = superuser;
  store = await openTestStore('', { database: { url: `postgresql://${role}:x@${encodeURIComponent(host)}:${port}/${name}` } });
  space = new Workspace(store);
  stored = await space.create('renewed');
});
afterAllTests(() => store.close());

/** Ends all sessions; the first ones to come back take the places. */
async function limitTo(sessions: number): Promise<void> {
  await superuser.query(`alter role ${role} connection limit ${sessions}`);
  await superuser.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
}

const succeeds = <T>(work: () => Promise<T>) => eventually(() => work().catch(() => undefined));

test('writes with a single session, though another purpose has it', async () => {
  for (let times = 0; times < 3; times++) {
    await limitTo(1);
    await succeeds(() => space.names());
    for (const data of ['first', 'second']) {
      stored = await succeeds(() => space.update(stored, data));
      expect(stored.data).toBe(data);
    }
  }
});

test('reads and writes with two sessions', async () => {
  for (let times = 0; times < 3; times++) {
    await limitTo(2);
    stored = await succeeds(() => space.update(stored, `${times}`));
    await succeeds(() => space.names());
    stored = await succeeds(() => space.update(stored, `${times} again`));
  }
});
