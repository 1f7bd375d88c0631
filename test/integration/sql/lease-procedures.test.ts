import { beforeAll, describe, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { eventually } from '../../support/eventually.js';
import { storeUrl } from '../../support/store-url.js';
import { LeaseClient } from './lease-client.js';

const LEASES = 'leases.coordination.k8s.io';
const NAMESPACES = { resource: 'namespaces', namespace: '' };

const fixture = forAllTests(() => openFixture(1));
const one = forAllTests(() => LeaseClient.connect(storeUrl(fixture.url)));
const other = forAllTests(() => LeaseClient.connect(storeUrl(fixture.url)));
beforeAll(async () => {
  await one.session.query(`call coordination.lease_create_namespace('default')`);
});

const revision = async () => (await fixture.rows<{ value: number }>('select value from revision_counter'))[0]?.value;
const spec = async (name: string) =>
  (
    await fixture.rows<{ spec: Record<string, unknown> }>(`select data::jsonb -> 'spec' as spec from objects where path = $1`, [
      `default/${name}`,
    ])
  )[0]?.spec;

describe('a lease', () => {
  test('is acquired by one, refused to others without a write, renewed, released, and handed over', async () => {
    const first = await one.acquire('report', 'a');
    const [stored] = await fixture.rows<{ revision: number }>(`select revision from leases where name = 'report'`);
    expect(first).toEqual({ holder: 'a', acquired: true, token: stored!.revision, expires: expect.any(Date) });
    const before = await revision();
    expect(await other.acquire('report', 'b')).toEqual({ holder: 'a', acquired: false, token: null, expires: first.expires });
    expect(await other.renew('report', 'b')).toMatchObject({ holder: 'a', renewed: false });
    expect(await other.release('report', 'b')).toEqual({ holder: 'a', released: false });
    expect(await revision()).toBe(before);

    const renewed = await one.renew('report', 'a', first.token);
    expect(renewed).toMatchObject({ holder: 'a', renewed: true, token: first.token });
    expect(renewed.expires!.getTime()).toBeGreaterThan(first.expires!.getTime());
    expect(await other.get('report')).toMatchObject({
      holder: 'a',
      held: true,
      token: first.token,
      transitions: 0,
      expires: renewed.expires,
    });

    expect(await one.release('report', 'a', first.token)).toEqual({ holder: null, released: true });
    expect(await spec('report')).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(await one.renew('report', 'a')).toMatchObject({ holder: null, renewed: false });
    const second = await other.acquire('report', 'b', '1 minute');
    expect(second).toMatchObject({ holder: 'b', acquired: true });
    expect(second.token).toBeGreaterThan(first.token!);
    expect(await spec('report')).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 60, leaseTransitions: 1 });
  });

  test('may be taken once it has expired, and not before', async () => {
    const { expires } = await one.acquire('short', 'a', '1s');
    let attempt = await other.acquire('short', 'b');
    expect(attempt.acquired).toBe(false);
    await eventually(async () => (attempt = await other.acquire('short', 'b')).acquired);
    const [times] = await fixture.rows<{ acquired: Date }>(`select acquired from leases where name = 'short'`);
    expect(times!.acquired.getTime()).toBeGreaterThanOrEqual(expires!.getTime());
    expect(await one.renew('short', 'a')).toMatchObject({ holder: 'b', renewed: false });
  });

  test('that has expired can still be renewed by its holder, as client-go does, while nobody has taken it', async () => {
    const { token, expires } = await one.acquire('late', 'a', '1s');
    await eventually(async () => (await fixture.rows<{ over: boolean }>('select now() > $1 as over', [expires]))[0]!.over);
    expect(await other.get('late')).toMatchObject({ held: false });
    expect(await one.renew('late', 'a', token)).toMatchObject({ renewed: true, token });
  });

  test('has rising tokens over deletion and creation', async () => {
    const tokens: number[] = [];
    for (let round = 0; round < 3; round++) {
      tokens.push((await one.acquire('again', 'a')).token!);
      const { object } = await fixture.stores[0]!.get({ resource: LEASES, namespace: 'default', name: 'again' }, { kind: 'latest' });
      await fixture.stores[0]!.delete(object!);
      expect(await one.renew('again', 'a', tokens.at(-1))).toMatchObject({ holder: null, renewed: false });
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
  });

  test('that its holder acquires again continues its term with a new token, which ends the earlier one', async () => {
    const first = await one.acquire('twice', 'a');
    const before = await spec('twice');
    const second = await other.acquire('twice', 'a', '30s');
    expect(second.token).toBeGreaterThan(first.token!);
    expect(await spec('twice')).toEqual({ ...before, leaseDurationSeconds: 30, renewTime: expect.any(String) });
    expect(await one.renew('twice', 'a', first.token)).toMatchObject({ holder: 'a', renewed: false, token: null });
    expect(await one.release('twice', 'a', first.token)).toMatchObject({ released: false });
    expect(await other.renew('twice', 'a', second.token)).toMatchObject({ renewed: true });
  });

  test('has one holder among many that race for it', async () => {
    const racers = await Promise.all(Array.from({ length: 8 }, () => LeaseClient.connect(storeUrl(fixture.url))));
    try {
      for (let round = 0; round < 10; round++) {
        const attempts = await Promise.all(racers.map((racer, i) => racer.acquire(`race-${round}`, `racer-${i}`)));
        expect(attempts.filter(({ acquired }) => acquired)).toHaveLength(1);
        expect(new Set(attempts.map(({ holder }) => holder)).size).toBe(1);
      }
    } finally {
      await Promise.all(racers.map((racer) => racer.close()));
    }
  });
});

describe('a call', () => {
  const acquire = (...values: unknown[]) => one.session.query('call coordination.lease_acquire($1, $2, $3, $4)', values);

  test.each([
    [['default', 'Upper', 'a', '15s'], '22023', 'invalid lease name "Upper": it must be a lowercase RFC 1123 subdomain'],
    [['default', 'a'.repeat(254), 'a', '15s'], '22023', 'a lowercase RFC 1123 subdomain'],
    [['default', 'a..b', 'a', '15s'], '22023', 'a lowercase RFC 1123 subdomain'],
    [['default', 'a/b', 'a', '15s'], '22023', 'a lowercase RFC 1123 subdomain'],
    [['default', 'a\n', 'a', '15s'], '22023', 'a lowercase RFC 1123 subdomain'],
    [['default', null, 'a', '15s'], '22023', 'a lowercase RFC 1123 subdomain'],
    [['a.b', 'a', 'a', '15s'], '22023', 'invalid namespace "a.b": it must be a lowercase RFC 1123 label'],
    [[null, 'a', 'a', '15s'], '22023', 'a lowercase RFC 1123 label'],
    [['default', 'a', '', '15s'], '22023', 'it must have 1 to 1024 characters'],
    [['default', 'a', null, '15s'], '22023', 'it must have 1 to 1024 characters'],
    [['default', 'a', 'a', '0'], '22023', 'it must be positive, and at most 2147483647 seconds'],
    [['default', 'a', 'a', '100 years'], '22023', 'it must be positive, and at most 2147483647 seconds'],
    [['default', 'a', 'a', null], '22023', 'invalid duration null'],
    [['elsewhere', 'a', 'a', '15s'], '42704', 'namespace "elsewhere" does not exist'],
  ])('with %j is refused', async (values, code, message) => {
    await expect(acquire(...values)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('creates no lease in a namespace that is being deleted, nor takes one there', async () => {
    const store = fixture.stores[0]!;
    await one.session.query(`call coordination.lease_create_namespace('going')`);
    expect(await one.acquire('there', 'a', '1s', 'going')).toMatchObject({ acquired: true });
    const { object } = await store.get({ ...NAMESPACES, name: 'going' }, { kind: 'latest' });
    await store.update(object!, { ...object!, terminating: true });
    const refusal = { code: '55000', message: 'namespace "going" is being deleted' };
    await expect(one.acquire('new', 'a', '15s', 'going')).rejects.toMatchObject(refusal);
    await expect(one.acquire('there', 'a', '15s', 'going')).rejects.toMatchObject(refusal);
  });

  test('takes no lease whose holder is elected by candidates', async () => {
    const data = JSON.stringify({
      metadata: { name: 'elected', namespace: 'default', uid: 'u' },
      spec: { strategy: 'OldestEmulationVersion' },
    });
    await fixture.stores[0]!.create({ resource: LEASES, namespace: 'default', name: 'elected' }, { uid: 'u', data, terminating: false });
    await expect(one.acquire('elected', 'a')).rejects.toMatchObject({ code: '55000' });
  });

  test('takes a lease that was never renewed when it was seen unchanged for its duration', async () => {
    const metadata = {
      name: 'never-renewed',
      namespace: 'default',
      uid: 'u',
      managedFields: [{ manager: 'kubectl', time: '2020-01-01T00:00:00Z' }],
    };
    const data = JSON.stringify({ metadata, spec: { holderIdentity: 'x', leaseDurationSeconds: 1 } });
    await fixture.stores[0]!.create(
      { resource: LEASES, namespace: 'default', name: 'never-renewed' },
      { uid: 'u', data, terminating: false },
    );
    expect(await one.acquire('never-renewed', 'a')).toMatchObject({ holder: 'x', acquired: false });
    await eventually(async () => (await one.acquire('never-renewed', 'a')).acquired);
  });

  test('takes no lease that names a holder but no time or no duration', async () => {
    for (const [name, rest] of Object.entries({
      untimed: { leaseDurationSeconds: 1 },
      endless: { renewTime: '2020-01-01T00:00:00.000000Z' },
    })) {
      const data = JSON.stringify({ metadata: { name, namespace: 'default', uid: 'u' }, spec: { holderIdentity: 'x', ...rest } });
      await fixture.stores[0]!.create({ resource: LEASES, namespace: 'default', name }, { uid: 'u', data, terminating: false });
      expect(await one.acquire(name, 'a')).toEqual({ holder: 'x', acquired: false, token: null, expires: null });
      expect(await one.acquire(name, 'x')).toMatchObject({ holder: 'x', acquired: true });
    }
  });

  test.each(['begin', 'begin isolation level serializable', 'begin; savepoint s', 'begin; select 1'])(
    'after "%s" is refused, and holds nothing',
    async (begin) => {
      const before = await revision();
      await using session = await LeaseClient.connect(fixture.url);
      await session.session.query(begin);
      await expect(session.acquire('inside', 'a')).rejects.toMatchObject({
        code: '2D000',
        message: 'leases are written outside of transactions only',
        hint: 'Call it in autocommit mode, as a statement of its own.',
      });
      expect(await one.acquire(`beside-${before}`, 'a')).toMatchObject({ acquired: true });
      expect(await other.get('inside')).toBeUndefined();
    },
  );

  test('beside other statements, or within a function or an exception block, is refused', async () => {
    const call = `call coordination.lease_acquire('default', 'inside', 'a', '15s')`;
    const calls = [
      `select 1; ${call}`,
      `${call}; select pg_sleep(60)`,
      `do $$ begin perform 1; ${call.replace(`'a', '15s'`, `'a', '15s', null, null, null`).replace(`'a'`, 'holder')}; end $$`,
    ];
    for (const text of calls.slice(0, 2)) await expect(one.session.query(text)).rejects.toMatchObject({ code: '2D000' });
    const block = (body: string) => `do $$ declare h text := 'a'; r bool; t bigint; e timestamptz; begin ${body} end $$`;
    const inner = `call coordination.lease_acquire('default', 'inside', h, '15s', r, t, e);`;
    await expect(one.session.query(block(`begin ${inner} exception when data_exception then null; end;`))).rejects.toMatchObject({
      code: '2D000',
    });
    expect(await other.get('inside')).toBeUndefined();
    await one.session.query(block(inner));
    expect(await other.get('inside')).toMatchObject({ holder: 'a' });
  });

  test('within a longer procedure ends its transaction before the procedure continues', async () => {
    await using session = await LeaseClient.connect(fixture.url);
    await fixture.client.query('select pg_advisory_lock(1)');
    const running = session.session.query(`do $$ declare h text := 'a'; r bool; t bigint; e timestamptz; begin
      call coordination.lease_acquire('default', 'longer', h, '15s', r, t, e); perform pg_advisory_xact_lock(1); end $$`);
    try {
      await eventually(async () => (await other.get('longer')) !== undefined);
      expect(await other.acquire('beside-longer', 'a')).toMatchObject({ acquired: true });
      await fixture.stores[0]!.checkWrites();
    } finally {
      await fixture.client.query('select pg_advisory_unlock(1)');
      await running;
    }
  });

  test('of the function behind the procedures is refused, whatever the transaction', async () => {
    const text = `select coordination.lease_write('acquire', 'default', 'direct', 'a', '15s', null, null, null)`;
    const refusal = { code: '25000', message: 'only lease_acquire, lease_renew and lease_release call lease_write' };
    await expect(one.session.query(text)).rejects.toMatchObject(refusal);
    await expect(one.session.query({ text, values: [] })).rejects.toMatchObject(refusal);
    await using session = await LeaseClient.connect(fixture.url);
    await session.session.query('begin');
    await expect(session.session.query(text)).rejects.toMatchObject(refusal);
  });

  test('works whatever the settings of the session are, and commits durably', async () => {
    await fixture.client.query(`
      create table at_commit (setting text, at pg_lsn); grant insert on at_commit to public;
      create function note_setting() returns trigger language plpgsql as
        $$ begin insert into coordination_tables.at_commit values (current_setting('synchronous_commit'), pg_current_wal_insert_lsn()); return null; end $$;
      create constraint trigger note_setting after insert or update on objects deferrable initially deferred for each row execute function note_setting()`);
    const session = await LeaseClient.connect(fixture.url);
    try {
      await session.session.query(`
        set synchronous_commit = off; set default_transaction_isolation = serializable; set search_path = pg_temp; set timezone = 'Asia/Tokyo';
        set datestyle = 'SQL, DMY'; set intervalstyle = 'iso_8601'; set standard_conforming_strings = off; set escape_string_warning = off`);
      const { token } = await session.acquire('settings', 'a<"\u2028\u0001\\é😀>', '15s');
      expect(await session.renew('settings', 'a<"\u2028\u0001\\é😀>', token)).toMatchObject({ renewed: true });
      // the commit that holds the counter waits for nothing; the answer comes after the flush
      const commits = await fixture.rows('select setting, at < pg_current_wal_flush_lsn() as flushed from at_commit');
      expect(commits).toEqual([
        { setting: 'off', flushed: true },
        { setting: 'off', flushed: true },
      ]);
      expect(await spec('settings')).toMatchObject({ holderIdentity: 'a<"\u2028\u0001\\é😀>', leaseDurationSeconds: 15 });
    } finally {
      await session.close();
      await fixture.client.query('drop trigger note_setting on objects; drop function note_setting; drop table at_commit');
    }
  });
});

test('a token is remembered no longer than its lease', async () => {
  const store = fixture.stores[0]!;
  for (let i = 0; i < 50; i++) await one.acquire(`job-${i}`, 'a');
  for (let i = 0; i < 50; i++) {
    const { object } = await store.get({ resource: LEASES, namespace: 'default', name: `job-${i}` }, { kind: 'latest' });
    await store.delete(object!);
  }
  const forgotten = async (count: number) => {
    for (let i = 0; i < 20; i++) await one.acquire(`next-${count}-${i}`, 'a');
    const [{ left } = { left: -1 }] = await fixture.rows<{ left: number }>(
      `select count(*)::int as left from lease_token where path like 'default/job-%'`,
    );
    return left === 0;
  };
  for (let count = 0; count < 20; count++) if (await forgotten(count)) return;
  throw new Error('tokens of deleted leases are still there');
});
