import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { StoredObject } from '../../../src/storage/object-store.js';
import pg from 'pg';
import { openFixture } from '../storage/postgres-fixture.js';
import { forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { LeaseClient } from './lease-client.js';

/*
 * Fencing within the user's own transactions. Sessions are direct ones: a test keeps transactions open.
 */
const LEASES = 'leases.coordination.k8s.io';
const STALE = { code: 'LS001' };
const ASSERT = 'select coordination.lease_assert($1, $2, $3)';

const fixture = forAllTests(() => openFixture(1));
const old = forAllTests(() => LeaseClient.connect(fixture.url));
const next = forAllTests(() => LeaseClient.connect(fixture.url));
let count = 0;
/** A lease and a fenced table for each test. */
let name: string;
let table: string;

beforeAll(async () => {
  await old.session.query(`call coordination.lease_create_namespace('default')`);
});
beforeEach(async () => {
  name = `fenced-${++count}`;
  table = `account_${count}`;
  await fixture.client.query(`
    create table public.${table} (name text primary key, balance integer not null, token bigint not null);
    create trigger fence before insert or update or delete on public.${table}
    for each row execute function coordination.fence('default/${name}')`);
});
afterEach(async () => {
  for (const { session } of [old, next]) await session.query('rollback');
});

const enter = ({ session }: LeaseClient, token: number | null) => session.query(ASSERT, ['default', name, token]);
const write = ({ session }: LeaseClient, token: number | null, balance = 1) =>
  session.query(
    `insert into public.${table} as t values ('a', $1, $2) on conflict (name) do update set balance = excluded.balance, token = excluded.token`,
    [balance, token],
  );
const rows = () => fixture.rows<{ balance: number; token: number }>(`select balance, token from public.${table}`);
/** The lease passes from one to the other: the token of each. */
const handOver = async (): Promise<[first: number, second: number]> => {
  const first = await old.acquire(name, 'old');
  return [first.token!, await takeOver()];
};
const takeOver = async (): Promise<number> => {
  await fixture.client.query(`call coordination.lease_release('default', $1, 'old')`, [name]);
  return (await next.acquire(name, 'next')).token!;
};
const waits = async ({ session }: LeaseClient): Promise<boolean> => {
  const { processID: pid } = session as unknown as { processID: number };
  return (
    await fixture.rows<{ waits: boolean }>(`select wait_event_type = 'Lock' as waits from pg_stat_activity where pid = $1`, [pid])
  )[0]!.waits;
};

describe('lease_assert', () => {
  test('lets the transactions of the holder commit, several at once', async () => {
    const { token } = await old.acquire(name, 'old');
    for (const { session } of [old, next]) {
      await session.query('begin');
      await session.query(ASSERT, ['default', name, token]);
      await session.query(ASSERT, ['default', name, token]);
      if (session === old.session) await session.query('commit');
    }
    await old.session.query('begin');
    await enter(old, token);
    await old.session.query('commit');
    await next.session.query('commit');
    expect(await fixture.rows('select * from lease_assertion')).toEqual([]);
  });

  test.each(['stale', 'older', 'newer than the lease', 'of another lease', 'null'])('refuses a token that is %s', async (kind) => {
    const elsewhere = (await old.acquire(`${name}-elsewhere`, 'old')).token!;
    const [first, second] = await handOver();
    const tokens: Record<string, number | null> = {
      stale: first,
      older: 1,
      'newer than the lease': second + 1,
      'of another lease': elsewhere,
      null: null,
    };
    await expect(enter(old, tokens[kind]!)).rejects.toMatchObject({ code: kind === 'null' ? '22004' : 'LS001' });
    await enter(next, second);
    await expect(enter(old, tokens[kind]!)).rejects.toMatchObject({ code: kind === 'null' ? '22004' : 'LS001' });
  });

  test('refuses the commit of a transaction whose lease was taken meanwhile, and does not delay the taker', async () => {
    const { token } = await old.acquire(name, 'old');
    await old.session.query('begin');
    await enter(old, token);
    await write(old, token, 7);
    const second = await takeOver();
    expect(second).toBeGreaterThan(token!);
    await expect(old.session.query('commit')).rejects.toMatchObject({
      ...STALE,
      message: `the fencing token ${token} of lease "default/${name}" is stale: somebody else may hold it now`,
    });
    expect(await rows()).toEqual([]);
  });

  test.each(['released', 'deleted'])('refuses the commit of a transaction whose lease was %s meanwhile', async (how) => {
    const { token } = await old.acquire(name, 'old');
    await old.session.query('begin');
    await enter(old, token);
    if (how === 'released') await next.release(name, 'old');
    else await fixture.stores[0]!.delete(await stored());
    await expect(old.session.query('commit')).rejects.toMatchObject(STALE);
  });

  test('is checked when a transaction is prepared for a commit in two phases', async () => {
    const { token } = await old.acquire(name, 'old');
    const [{ allowed } = { allowed: false }] = await fixture.rows<{ allowed: boolean }>(
      `select current_setting('max_prepared_transactions')::int > 0 as allowed`,
    );
    if (!allowed) return;
    await old.session.query('begin');
    await enter(old, token);
    await takeOver();
    await expect(old.session.query(`prepare transaction 'fenced'`)).rejects.toMatchObject(STALE);
  });

  test('of a newer token waits for the transactions of older ones, and then sees what they wrote', async () => {
    const { token } = await old.acquire(name, 'old');
    await enter(old, token);
    await old.session.query('begin');
    await enter(old, token);
    await write(old, token, 7);
    // the commit is under way once the check is done
    await old.session.query('set constraints all immediate');
    const second = await takeOver();
    await next.session.query('begin');
    const entered = enter(next, second);
    await eventually(() => waits(next));
    await old.session.query('commit');
    await entered;
    expect((await next.session.query(`select balance from public.${table}`)).rows).toEqual([{ balance: 7 }]);
    await next.session.query('commit');
    await expect(enter(old, token)).rejects.toMatchObject(STALE);
  });

  test('of a newer token leaves the older one stale even if it is rolled back', async () => {
    const [first, second] = await handOver();
    await next.session.query('begin');
    await enter(next, second);
    await next.session.query('rollback');
    await expect(enter(old, first)).rejects.toMatchObject(STALE);
    await enter(next, second);
  });

  test('of a token that was asserted before is refused at once after a takeover', async () => {
    const { token } = await old.acquire(name, 'old');
    await enter(old, token);
    await takeOver();
    await old.session.query('begin');
    await expect(enter(old, token)).rejects.toMatchObject(STALE);
  });

  test('is undone by a rollback to a savepoint', async () => {
    const { token } = await old.acquire(name, 'old');
    await old.session.query('begin; savepoint s');
    await enter(old, token);
    await old.session.query('rollback to savepoint s');
    await takeOver();
    await old.session.query('commit');
  });

  test.each(['repeatable read', 'serializable'])('refuses a %s transaction, which would not see a takeover', async (level) => {
    const { token } = await old.acquire(name, 'old');
    await old.session.query(`begin isolation level ${level}`);
    await expect(enter(old, token)).rejects.toMatchObject({ code: '0A000' });
  });

  test('refuses a number that is no token of the lease, though the lease was written before and after it', async () => {
    const { token } = await old.acquire(name, 'old');
    const other = await next.acquire(`${name}-other`, 'next');
    await old.renew(name, 'old', token);
    await expect(enter(old, other.token)).rejects.toMatchObject(STALE);
    await enter(old, token);
    await expect(enter(old, other.token)).rejects.toMatchObject(STALE);
    await enter(old, token);
  });

  test('stays valid over renewals and after the lease has expired, until somebody takes it', async () => {
    const { token, expires } = await old.acquire(name, 'old', '1s');
    await old.session.query('begin');
    await enter(old, token);
    await next.renew(name, 'old');
    await eventually(
      async () => (await fixture.rows<{ over: boolean }>(`select now() > $1::timestamptz + interval '1 s' as over`, [expires]))[0]!.over,
    );
    await old.session.query('commit');
  });
});

describe('the token of a lease that was acquired over HTTP', () => {
  const SPEC = { leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000000Z', leaseTransitions: 0 };
  const data = (spec: object) => JSON.stringify({ metadata: { name, namespace: 'default', uid: name }, spec: { ...SPEC, ...spec } });
  const create = (spec: object) =>
    fixture.stores[0]!.create({ resource: LEASES, namespace: 'default', name }, { uid: name, data: data(spec), terminating: false });
  const update = (object: StoredObject, spec: object) => fixture.stores[0]!.update(object, { ...object, data: data(spec) });

  test('is any resourceVersion of the present term', async () => {
    const acquired = await create({ holderIdentity: 'a', acquireTime: '2026-01-02T03:04:05.000000Z' });
    const renewed = await update(acquired, { holderIdentity: 'a', acquireTime: '2026-01-02T03:04:05.000000Z', leaseDurationSeconds: 16 });
    await enter(old, acquired.revision);
    await enter(old, renewed.revision);
    const taken = await update(renewed, { holderIdentity: 'b', acquireTime: '2026-01-02T03:05:05.000000Z', leaseTransitions: 1 });
    for (const { revision } of [acquired, renewed]) await expect(enter(old, revision)).rejects.toMatchObject(STALE);
    await enter(next, taken.revision);
  });

  test('is stale where another term has begun, though nobody has asserted that one', async () => {
    const acquired = await create({ holderIdentity: 'a' });
    await old.session.query('begin');
    await enter(old, acquired.revision);
    await update(acquired, { holderIdentity: 'b' });
    await expect(old.session.query('commit')).rejects.toMatchObject(STALE);
  });

  test('is known after compaction only if it was asserted before', async () => {
    const store = fixture.stores[0]!;
    const acquired = await create({ holderIdentity: 'a' });
    const renewed = await update(acquired, { holderIdentity: 'a', leaseDurationSeconds: 16 });
    const asserted = await update(renewed, { holderIdentity: 'a', leaseDurationSeconds: 17 });
    await enter(old, asserted.revision);
    await update(asserted, { holderIdentity: 'a', leaseDurationSeconds: 18 });
    await store.compactor.rotate();
    await store.compactor.compact(await store.currentRevision());
    await enter(old, asserted.revision);
    await expect(enter(old, renewed.revision)).rejects.toMatchObject(STALE);
  });
});

describe('the trigger', () => {
  test('lets rows be written under the token of the present term, which never goes back', async () => {
    const [first, second] = await handOver();
    await write(next, second, 1);
    await write(next, second, 2);
    await expect(write(old, first, 3)).rejects.toMatchObject(STALE);
    await expect(write(old, null)).rejects.toMatchObject({ code: '22004' });
    await expect(next.session.query(`update public.${table} set token = token - 1`)).rejects.toMatchObject(STALE);
    expect(await rows()).toEqual([{ balance: 2, token: second }]);
  });

  test('keeps the column from going back where nothing else is known of the tokens', async () => {
    const spec = { holderIdentity: 'a' };
    const created = await fixture.stores[0]!.create(
      { resource: LEASES, namespace: 'default', name },
      { uid: name, data: JSON.stringify({ metadata: { uid: name }, spec }), terminating: false },
    );
    const renewed = await fixture.stores[0]!.update(created, created);
    await write(old, renewed.revision);
    await fixture.client.query('delete from lease_fence where path = $1', [`default/${name}`]);
    await expect(old.session.query(`update public.${table} set token = $1`, [created.revision])).rejects.toMatchObject(STALE);
    await old.session.query(`update public.${table} set token = $1`, [renewed.revision]);
  });

  test('refuses the commit of rows whose lease was taken meanwhile', async () => {
    const { token } = await old.acquire(name, 'old');
    await old.session.query('begin');
    await write(old, token);
    await takeOver();
    await expect(old.session.query('commit')).rejects.toMatchObject(STALE);
    expect(await rows()).toEqual([]);
  });

  test('fences deletions by lease_assert in the same transaction', async () => {
    const { token } = await old.acquire(name, 'old');
    await write(old, token);
    await expect(old.session.query(`delete from public.${table}`)).rejects.toMatchObject(STALE);
    await old.session.query('begin');
    await enter(old, token);
    await old.session.query(`delete from public.${table}`);
    await old.session.query('commit');
    expect(await rows()).toEqual([]);
  });

  test('takes the name of the column', async () => {
    await fixture.client.query(`alter table public.${table} rename token to "Term"; drop trigger fence on public.${table};
      create trigger fence before insert or update on public.${table} for each row execute function coordination.fence('default/${name}', 'Term')`);
    const { token } = await old.acquire(name, 'old');
    await old.session.query(`insert into public.${table} values ('a', 1, $1)`, [token]);
    await expect(old.session.query(`update public.${table} set "Term" = "Term" + 1`)).rejects.toMatchObject(STALE);
  });

  test.each([
    'after insert on TABLE for each row',
    'before insert on TABLE for each statement',
    `before insert on TABLE for each row WRONG`,
  ])('is refused as "%s"', async (when) => {
    const argument = when.endsWith('WRONG') ? name : `default/${name}`;
    await fixture.client.query(
      `create trigger wrong ${when.replace('TABLE', `public.${table}`).replace(' WRONG', '')} execute function coordination.fence('${argument}')`,
    );
    const { token } = await old.acquire(name, 'old');
    await expect(write(old, token)).rejects.toMatchObject({ code: '39P01' });
  });
});

test('a transaction that is left open under a token delays no write of a server, nor its maintenance', async () => {
  const store = fixture.stores[0]!;
  const key = { resource: LEASES, namespace: 'default', name: `${name}-http` };
  const created = await store.create(key, { uid: 'u', data: '{"metadata":{"uid":"u"},"spec":{"holderIdentity":"a"}}', terminating: false });
  const renewed = await store.update(created, { ...created, data: created.data.replace('"a"', '"a","leaseDurationSeconds":15') });
  const { token } = await old.acquire(name, 'old');
  await old.session.query('begin');
  await enter(old, token);
  await write(old, token);
  // looked up in the log
  await old.session.query(ASSERT, ['default', key.name, created.revision]);
  expect(await locksOf(old)).toEqual([]);
  // none of these would end while the transaction is open, if they needed anything that it holds
  let object = await stored();
  for (let i = 0; i < 100; i++) object = await store.update(object, object);
  await store.compactor.rotate();
  await store.compactor.compact(object.revision);
  await next.renew(name, 'old');
  await takeOver();
  await store.delete(await stored());
  await store.delete(renewed);
  expect((await next.acquire(name, 'next')).acquired).toBe(true);
  await expect(old.session.query('commit')).rejects.toMatchObject(STALE);
});

/** The locks that a session holds on the tables that servers write to. */
async function locksOf({ session }: LeaseClient): Promise<string[]> {
  const { processID: pid } = session as unknown as { processID: number };
  const locks = await fixture.rows<{ lock: string }>(
    `select distinct relation::regclass || ' ' || mode as lock from pg_locks
     where pid = $1 and relation::regclass::text ~ '^(objects|revision_counter|revision_log.*|compaction|log_segment)$' order by 1`,
    [pid],
  );
  return locks.map(({ lock }) => lock);
}

test('no write under a stale token commits, whatever holders and former holders do', async () => {
  const writers = await Promise.all(Array.from({ length: 4 }, () => LeaseClient.connect(fixture.url)));
  const deadline = Date.now() + 3_000;
  let committed = 0;
  let refused = 0;
  const run = async (client: LeaseClient, holder: string) => {
    let token = 0;
    while (Date.now() < deadline) {
      // releases as the present holder now and then, but goes on writing with its token
      if (Math.random() < 0.2) await client.session.query(`call coordination.lease_release('default', $1, $2)`, [name, holder]);
      if (Math.random() < 0.3) token = (await client.acquire(name, holder)).token ?? token;
      try {
        await client.session.query(
          `insert into public.${table} as t values ('a', 1, $1)
           on conflict (name) do update set balance = t.balance + 1, token = excluded.token`,
          [token],
        );
        committed++;
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^(LS001|40P01)$/) });
        refused++;
      }
    }
  };
  await fixture.client.query(`
    create table public.history (at bigserial, token bigint);
    create function public.note() returns trigger language plpgsql as
      $$ begin insert into public.history (token) values (new.token); return null; end $$;
    create trigger note after insert or update on public.${table} for each row execute function public.note()`);
  await Promise.all(writers.map((writer, i) => run(writer, `w${i}`)));
  await Promise.all(writers.map((writer) => writer.close()));
  const tokens = (await fixture.rows<{ token: number }>('select token from public.history order by at')).map(({ token }) => token);
  expect(tokens).toHaveLength(committed);
  expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
  expect([committed > 0, refused > 0]).toEqual([true, true]);
});

async function stored(): Promise<StoredObject> {
  const { object } = await fixture.stores[0]!.get({ resource: LEASES, namespace: 'default', name }, { kind: 'latest' });
  return object!;
}

describe('what fires no trigger for rows', () => {
  test('TRUNCATE is refused like a deletion by a trigger of its own, and allowed under an assertion', async () => {
    await fixture.client.query(`create trigger fence_truncate before truncate on public.${table}
      for each statement execute function coordination.fence('default/${name}')`);
    const [first, second] = await handOver();
    await write(next, second);
    await expect(old.session.query(`truncate public.${table}`)).rejects.toMatchObject(STALE);
    await old.session.query('begin');
    await expect(enter(old, first)).rejects.toMatchObject(STALE);
    await old.session.query('rollback');
    expect(await rows()).toEqual([{ balance: 1, token: second }]);
    await next.session.query('begin');
    await enter(next, second);
    await next.session.query(`truncate public.${table}`);
    await next.session.query('commit');
    expect(await rows()).toEqual([]);
  });

  test.each([
    'prepare transaction files',
    "step 1; prepare transaction 'x'",
    "it's; prepare transaction 'x'",
    '/* ; prepare transaction */ $$',
    String.raw`\'; prepare transaction '`,
  ])('a row is written that has the text %j', async (text) => {
    const { token } = await old.acquire(name, 'old');
    await old.session.query(`create temp table if not exists note (text text, token bigint);
      create or replace trigger fence before insert on note for each row execute function coordination.fence('default/${name}')`);
    const literals = [pg.escapeLiteral(text), `$x$${text}$x$`];
    for (const literal of literals) await old.session.query(`insert into note /* prepare transaction */ values (${literal}, ${token})`);
    await old.session.query(`insert into note values ('x', ${token}) -- ; prepare transaction 'x'`);
    expect(await old.rows('select count(*)::integer as written from note where token = $1', [token])).toEqual([{ written: 3 }]);
  });

  test.each([
    ["select 1; prepare transaction 'x'", 'on'],
    ["select $$'$$; prepare transaction 'x'", 'on'],
    ["prepare transaction 'x'", 'on'],
    ["/* JTA */ PREPARE /* ! */\nTRANSACTION 'x'", 'on'],
    ["prepare/**/transaction 'x'", 'on'],
    ["prepare -- x\n transaction 'x'", 'on'],
    // PostgreSQL reads the backslashes in the bodies of functions as the session says
    ["prepare transaction 'x'", 'off'],
  ])('%j is refused under a token, with standard_conforming_strings %s', async (prepare, conforming) => {
    const { token } = await old.acquire(name, 'old');
    await using own = await LeaseClient.connect(fixture.url);
    await own.session.query(`set standard_conforming_strings = ${conforming}`);
    await own.session.query('begin');
    await write(own, token);
    await expect(own.session.query(prepare)).rejects.toMatchObject({
      code: '0A000',
      message: expect.stringMatching(/^a transaction under a fencing token cannot be prepared/),
    });
    expect(await rows()).toEqual([]);
  });
});
