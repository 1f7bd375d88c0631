import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { microTime } from '../../../src/apimachinery/go/go-time.js';
import { readBackup } from '../../../src/storage/maintenance/backup.js';
import { verifyDatabase } from '../../../src/storage/maintenance/verify-database.js';
import { withExistingDatabase } from '../../../src/storage/maintenance/with-existing-database.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { sqlOf } from '../../clients/documented/documented-program.js';
import { connected, rowsOf } from '../../support/connected.js';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { createEmptyDatabase, serverUrl } from '../../support/test-database.js';
import { LeaseClient } from '../sql/lease-client.js';
import { openTestStore, silent } from './open-test-store.js';

/*
 * The roles of docs/operations.md, with the grants that it shows and no other.
 */
const id = randomBytes(4).toString('hex');
const [owner, member, reader, client] = ['owner', 'member', 'reader', 'client'].map((name) => `${name}_${id}`) as [
  string,
  string,
  string,
  string,
];
const block = (beginning: string) =>
  sqlOf('operations.md')
    .find((sql) => sql.startsWith(beginning))!
    .replace(/\b(role|authorization|to) leases\b/g, `$1 ${owner}`)
    .replaceAll('lease_backup', reader)
    .replaceAll(`'...'`, `'x'`);

afterAllTests(() => rowsOf(serverUrl(), `drop role ${[owner, member, reader, client].join(', ')}`));
const database = forAllTests(() => createEmptyDatabase());
const superuser = forAllTests(() => connected(database.url));
const stores: PostgresStore[] = [];
const as = (role: string) => {
  const { host, port, database: name } = new pg.Client(database.url);
  return `postgresql://${role}:x@${encodeURIComponent(host)}:${port}/${name}`;
};
const write = async (store: PostgresStore, name: string) => {
  const spec = { holderIdentity: name, leaseDurationSeconds: 15, renewTime: microTime(Date.now()) };
  const data = JSON.stringify({ metadata: { name, namespace: 'default', uid: name }, spec });
  await store.create({ resource: 'leases.coordination.k8s.io', namespace: 'default', name }, { uid: name, data, terminating: false });
};

beforeAll(async () => {
  await superuser.query(block('create role leases'));
  stores.push(await openTestStore('', { database: { url: as(owner) } }));
  await superuser.query(`create role ${member} login password 'x' in role ${owner}; create role ${client} login password 'x';
    alter role ${member} set role = '${owner}'`);
  const leases = await LeaseClient.connect(as(owner));
  await leases.session.query(`call coordination.lease_create_namespace('default')`);
  await leases.session.query(`select coordination.lease_grant('${client}', 'default')`);
  await leases.close();
  await superuser.query(block('create role lease_backup'));
});
afterAllTests(() => Promise.all(stores.map((store) => store.close())));

test.each([
  ['the owner', owner],
  ['a member of the owner', member],
])('%s serves, and what it creates belongs to the owner', async (_, role) => {
  const store = await openTestStore('', { database: { url: as(role) } });
  stores.push(store);
  await write(store, `by-${role.slice(0, 5)}`);
  await store.compactor.rotate();
  const { rows } = await superuser.query(
    `select distinct relowner::regrole::text as owner from pg_class where relnamespace in ('coordination'::regnamespace, 'coordination_tables'::regnamespace)`,
  );
  expect(rows).toEqual([{ owner }]);
});

test('SQL clients need nothing but lease_grant', async () => {
  await using session = await LeaseClient.connect(as(client));
  expect(await session.acquire('in-sql', 'a')).toMatchObject({ acquired: true });
});

test('backup and verify work with the documented grants, in new segments of the log too, and these allow no writes', async () => {
  await write(stores[0]!, 'after-the-grants');
  const [backup, verified] = await withExistingDatabase({ url: as(reader) }, silent, async (db) => {
    const { header, objects, terms, states } = await readBackup(db, new Date());
    const rest = [];
    for await (const term of terms) rest.push(term);
    for await (const state of states) rest.push(state);
    return [{ header, objects, rest }, await verifyDatabase(db)] as const;
  });
  expect(backup.objects).toHaveLength(5);
  expect(backup.rest).toHaveLength(1);
  expect(backup.header.grants).toEqual([{ role: client, namespace: 'default', maxLeases: 10_000 }]);
  expect(verified).toMatchObject({ objects: 5, terms: 1, findings: [] });
  await using session = await connected(as(reader));
  for (const statement of [
    'delete from coordination_tables.objects',
    'lock table coordination_tables.revision_counter in access exclusive mode',
    'select from coordination_tables.revision_counter for update',
    `select coordination.lease_get('default', 'after-the-grants')`,
    'create table coordination.mine ()',
  ]) {
    await expect(session.query(`begin; ${statement}`)).rejects.toMatchObject({ code: '42501' });
    await session.query('rollback');
  }
});
