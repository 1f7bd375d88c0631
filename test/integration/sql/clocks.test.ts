import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually.js';
import { storeUrl } from '../../support/store-url.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

/*
 * SQL contenders while PostgreSQL's clock steps. Whatever the database has noted of times is moved instead, which is the same to it.
 */
const LEASES = 'leases.coordination.k8s.io';

let name = '';
let leases = 0;

const fixture = forAllTests(() => openFixture(1));
const one = forAllTests(() => LeaseClient.connect(storeUrl(fixture.url)));
const other = forAllTests(() => LeaseClient.connect(storeUrl(fixture.url)));
beforeAll(async () => {
  await one.session.query(`call coordination.lease_create_namespace('default')`);
});
beforeEach(() => {
  name = `lease-${leases++}`;
});

async function step(interval: string): Promise<void> {
  await fixture.client.query('update lease_seen set since = since - $1::interval, last = last - $1::interval', [interval]);
  await fixture.client.query('update log_segment set started_at = started_at - $1::interval', [interval]);
  await fixture.client.query(
    `update objects o set data = replace(o.data, t.written, lease_micro_time(lease_time(t.written) - $1::interval))
     from (select path, data::jsonb #>> '{spec,renewTime}' as written from objects where resource = $2) t
     where o.resource = $2 and o.path = t.path and t.written is not null`,
    [interval, LEASES],
  );
}

const tries = async (): Promise<boolean> => (await other.acquire(name, 'two')).acquired;
/** How long it takes to take the lease over, in seconds from now on. */
async function takeOver(): Promise<number> {
  const began = performance.now();
  await eventually(async () => (await tries()) || (await sleep(100), false));
  return (performance.now() - began) / 1000;
}

describe('a lease', () => {
  test.each(['60 s', '9 min', '-2 h'])(
    'that is renewed is not taken when the clock steps by %s',
    async (interval) => {
      await one.acquire(name, 'one', '2s');
      for (let turn = 0; turn < 24; turn++) {
        if (turn === 12) await step(interval);
        expect(await tries()).toBe(false);
        await sleep(150);
        expect(await one.renew(name, 'one')).toMatchObject({ renewed: true });
      }
      const took = await takeOver();
      expect(took).toBeGreaterThan(2);
    },
    30_000,
  );

  test.each(['60 s', '9 min', '-2 h'])(
    'that is no longer renewed is taken no earlier when the clock steps by %s, and hardly later',
    async (interval) => {
      await one.acquire(name, 'one', '3s');
      const began = performance.now();
      for (let turn = 0; turn < 10; turn++) {
        expect(await tries()).toBe(false);
        await sleep(100);
      }
      await step(interval);
      await takeOver();
      const seconds = (performance.now() - began) / 1000;
      expect(seconds).toBeGreaterThan(3);
      expect(seconds).toBeLessThan(15);
    },
  );

  test('that was left long ago is taken at once', async () => {
    await one.acquire(name, 'one', '60s');
    expect(await tries()).toBe(false);
    await step('1 h');
    expect(await tries()).toBe(true);
  });

  test('that another run of PostgreSQL has seen has to be seen anew', async () => {
    await one.acquire(name, 'one', '60s');
    expect(await tries()).toBe(false);
    await fixture.client.query(`update lease_seen set run = 'another'`);
    await step('1 h');
    expect(await tries()).toBe(false);
  });

  test('is seen by contenders that hold nobody up', async () => {
    await one.acquire(name, 'one', '60s');
    expect(await tries()).toBe(false);
    const third = await LeaseClient.connect(storeUrl(fixture.url));
    await third.session.query('begin');
    await third.session.query('select from coordination_tables.lease_seen where path = $1 for update', [`default/${name}`]);
    expect(await tries()).toBe(false);
    await third.session.query('rollback');
    await third.close();
    await one.release(name, 'one');
    expect(await tries()).toBe(true);
    expect(await fixture.rows('select from lease_seen where path = $1', [`default/${name}`])).toEqual([]);
  });
});

describe('a contender with a steady clock', () => {
  test('takes a lease that is still at the revision at which it has seen it for its duration, and no other', async () => {
    const { token } = await one.acquire(name, 'one', '2s');
    const first = await other.acquireSeen(name, 'two', '2s', null, 0);
    expect(first).toMatchObject({ acquired: false, holder: 'one', seen: token });
    expect(await other.acquireSeen(name, 'two', '2s', first.seen, 1_999)).toMatchObject({ acquired: false, seen: token });
    await one.renew(name, 'one');
    const renewed = await other.acquireSeen(name, 'two', '2s', first.seen, 60_000);
    expect(renewed).toMatchObject({ acquired: false, holder: 'one' });
    expect(renewed.seen).toBeGreaterThan(first.seen!);
    expect(await other.acquireSeen(name, 'two', '2s', null, 60_000)).toMatchObject({ acquired: false });
    const taken = await other.acquireSeen(name, 'two', '2s', renewed.seen, 2_000);
    expect(taken).toMatchObject({ acquired: true, holder: 'two' });
    expect(taken.seen).toBe(taken.token);
  });

  test.each(['1 h', '1 day', '-1 h', '-1 day'])('is led astray by no step of the clock, of %s', async (interval) => {
    await one.acquire(name, 'one', '60s');
    const { seen } = await other.acquireSeen(name, 'two', '2s', null, 0);
    for (let turn = 0; turn < 2; turn++) {
      await step(interval);
      expect(await other.acquireSeen(name, 'two', '2s', seen, 59_000)).toMatchObject({ acquired: false, seen });
    }
    expect(await other.acquireSeen(name, 'two', '2s', seen, 60_000)).toMatchObject({ acquired: true });
  });
});

test('a lease of a client whose clock is an hour behind is not taken at once, whether or not its fields have owners', async () => {
  for (const managedFields of [
    undefined,
    [],
    [{ manager: 'x', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': {} } }],
  ]) {
    name = `lease-${leases++}`;
    const renewTime = new Date(Date.now() - 3_600_000).toISOString().replace('Z', '000Z');
    const spec = { holderIdentity: 'x', leaseDurationSeconds: 1, renewTime };
    const data = JSON.stringify({ metadata: { name, namespace: 'default', uid: name, managedFields }, spec });
    await fixture.stores[0]!.create({ resource: LEASES, namespace: 'default', name }, { uid: name, data, terminating: false });
    expect(await tries()).toBe(false);
  }
});

test('contenders whose sessions write times differently take each other at their word', async () => {
  await one.acquire(name, 'one', '2s');
  await fixture.client.query('delete from lease_seen');
  await using third = await LeaseClient.connect(storeUrl(fixture.url));
  await third.session.query(`set timezone = 'Asia/Tokyo'; set datestyle = 'SQL, DMY'`);
  const began = performance.now();
  await eventually(async () => (await tries()) || (await third.acquire(name, 'three')).acquired || (await sleep(100), false));
  expect(performance.now() - began).toBeLessThan(9_000);
}, 15_000);

describe('the view and lease_get agree', () => {
  const both = async (session: LeaseClient) => {
    const [view] = await session.rows<{ held: boolean; expires: Date }>('select held, expires from coordination.leases where name = $1', [
      name,
    ]);
    const { held, expires } = (await session.get(name)) as { held: boolean; expires: Date };
    expect(view).toEqual({ held, expires });
    return held;
  };

  test('in an open transaction, in which time passes', async () => {
    await one.acquire(name, 'one', '1s');
    await other.session.query('begin');
    expect(await both(other)).toBe(true);
    await sleep(1_100);
    expect(await both(other)).toBe(false);
    await other.session.query('commit');
  });

  test('about a client whose clock is ahead by 70 years', async () => {
    const spec = { holderIdentity: 'x', leaseDurationSeconds: 1, renewTime: '2099-01-01T00:00:00.000000Z' };
    const managedFields = [
      { manager: 'x', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:renewTime': {} } } },
    ];
    const data = JSON.stringify({ metadata: { name, namespace: 'default', uid: 'u', managedFields }, spec });
    await fixture.stores[0]!.create({ resource: LEASES, namespace: 'default', name }, { uid: 'u', data, terminating: false });
    expect(await both(other)).toBe(false);
  });
});
