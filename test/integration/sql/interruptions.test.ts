import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { connected } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { PostgresCopies } from '../../support/postgres-copies.js';
import { type PostgresFixture, openFixture } from '../storage/postgres-fixture.js';
import { openTestStore } from '../storage/open-test-store.js';
import { LeaseClient } from './lease-client.js';

/*
 * Clients that crash or hang in the middle of a transaction, and a PostgreSQL that crashes or is replaced.
 */
const ASSERT = 'select coordination.lease_assert($1, $2, $3)';
const TABLE = 'create table public.account (balance integer not null); insert into public.account values (0)';

let fixture: PostgresFixture;
let holder: LeaseClient;
let next: LeaseClient;
let count = 0;
let name: string;

beforeAll(async () => {
  fixture = await openFixture(1);
  await fixture.client.query(`call coordination.lease_create_namespace('default')`);
  await fixture.client.query(TABLE);
});
beforeEach(async () => {
  name = `interrupted-${++count}`;
  holder = await LeaseClient.connect(fixture.url);
  next = await LeaseClient.connect(fixture.url);
});
afterAll(() => fixture.close());

/** A write under the token, whose transaction stays open. */
const beginWrite = async ({ session }: LeaseClient, token: number | null, balance: number) => {
  await session.query('begin');
  await session.query(ASSERT, ['default', name, token]);
  await session.query('update public.account set balance = $1', [balance]);
};
const balance = async () => (await fixture.rows<{ balance: number }>('select balance from public.account'))[0]!.balance;
const takeOver = async () => {
  await next.release(name, 'holder');
  return (await next.acquire(name, 'next')).token;
};
const close = () => Promise.all([holder.close(), next.close()]);

test('a client that crashes within a transaction leaves nothing behind, and nobody waits for it', async () => {
  const before = await balance();
  const { token } = await holder.acquire(name, 'holder');
  await beginWrite(holder, token, before + 1);
  // as when its process is killed: no terminate message
  (holder.session as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  const taken = await takeOver();
  await next.session.query(ASSERT, ['default', name, taken]);
  expect(await balance()).toBe(before);
  await next.close();
});

test('a client that hangs within a transaction holds up the next writer until its session times out', async () => {
  const { token } = await holder.acquire(name, 'holder');
  await holder.session.query(`set idle_in_transaction_session_timeout = '300ms'`);
  const before = await balance();
  const ended = new Promise((resolve) => holder.session.once('end', resolve));
  await beginWrite(holder, token, before + 1);
  const taken = await takeOver();
  await next.session.query(ASSERT, ['default', name, taken]);
  await ended;
  expect(await balance()).toBe(before);
  await next.close();
});

test('an acquisition that is refused within a transaction leaves no lock behind while that stays open', async () => {
  await holder.acquire(name, 'holder');
  await holder.session.query('begin');
  await expect(holder.acquire(name, 'holder')).rejects.toMatchObject({ code: '2D000' });
  expect((await next.renew(name, 'holder')).renewed).toBe(true);
  const [store] = fixture.stores;
  const { object } = await store!.get({ resource: 'leases.coordination.k8s.io', namespace: 'default', name }, { kind: 'latest' });
  await store!.update(object!, object!);
  await close();
});

test('tokens survive a crash of PostgreSQL, and open transactions are gone', async () => {
  await using copies = new PostgresCopies();
  await prepared(copies);
  const url = await copies.start('only');
  const { client, token } = await heldOn(url);
  const [pid] = await client.rows<{ pid: number }>('select pid from pg_stat_activity where backend_type = $1', ['walwriter']);
  const gone = new Promise((resolve) => client.session.once('end', resolve));
  process.kill(pid!.pid, 'SIGKILL'); // makes the postmaster restart all of its processes
  await gone;
  const again = await eventually(() => LeaseClient.connect(url).catch(() => undefined));
  expect(await again.rows('select * from public.account')).toEqual([{ balance: 0 }]);
  expect(await again.renew(name, 'holder', token)).toMatchObject({ renewed: true, token });
  await beginWrite(again, token, 1);
  await again.session.query('commit');
  expect(await again.rows('select * from coordination_tables.lease_assertion')).toEqual([]);
  expect((await again.acquire(name, 'holder')).token).toBeGreaterThan(token!);
  await again.close();
});

test('after a failover a holder continues with the state that arrived, and no token of the old primary returns', async () => {
  await using copies = new PostgresCopies();
  await prepared(copies);
  copies.copy('only', 'standby');
  const primary = await copies.start('only');
  const { client, token } = await heldOn(primary);
  await client.session.query('rollback');
  await copies.catchUp('standby', primary);
  // not replicated: the standby takes over without it
  const lost = await client.acquire(name, 'holder');
  await client.close();
  await copies.stop('only');
  await using promoted = await LeaseClient.connect(await copies.promote('standby'));
  await expect(beginWrite(promoted, lost.token, 1)).rejects.toMatchObject({ code: 'LS001' });
  await promoted.session.query('rollback');
  expect(await promoted.renew(name, 'holder', token)).toMatchObject({ renewed: true, token });
  await expect(beginWrite(promoted, lost.token, 1)).rejects.toMatchObject({ code: 'LS001' });
  await promoted.session.query('rollback');
  await beginWrite(promoted, token, 1);
  await promoted.session.query('commit');
  expect((await promoted.acquire(name, 'holder')).token).toBeGreaterThan(lost.token!);
  await expect(beginWrite(promoted, token, 2)).rejects.toMatchObject({ code: 'LS001' });
});

/** A stopped cluster `only` with the schema. */
async function prepared(copies: PostgresCopies): Promise<void> {
  const url = await copies.start('only');
  await (await openTestStore(url)).close();
  const client = await connected(url);
  await client.query(`call coordination.lease_create_namespace('default')`);
  await client.query(TABLE);
  await client.end();
  await copies.stop('only');
}

/** A holder with an open transaction. */
async function heldOn(url: string): Promise<{ client: LeaseClient; token: number | null }> {
  const client = await LeaseClient.connect(url);
  const { token } = await client.acquire(name, 'holder', '1h');
  await beginWrite(client, token, 7);
  return { client, token };
}

test('a session whose first call was cancelled at any moment writes leases all the same', async () => {
  for (let at = 0; at < 250; at++) {
    await using client = await LeaseClient.connect(fixture.url);
    await client.session.query(`set statement_timeout = ${2 + (at % 6)}`);
    await client.release(name, 'nobody').catch(() => undefined);
    await eventually(() => client.session.query('set statement_timeout = 0').catch(() => undefined));
    expect(await client.release(name, 'nobody')).toMatchObject({ released: false });
  }
});
