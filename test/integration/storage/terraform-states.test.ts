import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { Database } from '../../../src/storage/database/database.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import { LIST_STATE_VERSIONS, StateRepository } from '../../../src/storage/postgres/states/state.repository.js';
import { connected } from '../../support/connected.js';
import { storeUrl } from '../../support/store-url.js';
import { silent } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

const LEASE = { resource: 'leases.coordination.k8s.io', namespace: 'default', name: 'x' };
const stateOf = (data: string) => ({ data, writer: 'me', serial: 1, lineage: undefined });

describe('states of Terraform', () => {
  let states: StateRepository;
  let lease: StoredObject;

  const fixture = forAllTests(() => openFixture(1));
  beforeAll(async () => {
    const [store] = fixture.stores;
    states = store!.states;
    await store!.create({ resource: 'namespaces', namespace: '', name: 'default' }, { uid: 'n', terminating: false, data: '{}' });
    lease = await store!.create(LEASE, { uid: 'l', terminating: false, data: '{}' });
  });

  test('are stored and removed at the revision of the lease alone', async () => {
    expect(await states.store('default/x', undefined, stateOf('{}'))).toBe('moved');
    expect(await states.store('default/x', lease.revision - 1, stateOf('{}'))).toBe('moved');
    expect(await states.store('default/x', lease.revision, stateOf('{}'))).toBe(1);
    expect(await states.remove('default/x', undefined)).toBe('moved');
    expect(await states.remove('default/x', lease.revision)).toBe(true);
    expect(await states.remove('default/x', lease.revision)).toBe(false);
    expect(await states.store('default/none', lease.revision, stateOf('{}'))).toBe('moved');
    expect(await states.store('default/none', undefined, stateOf('{}'))).toBe(1);
  });

  test('need their namespace, and leave no row behind without it', async () => {
    await expect(states.store('other/x', undefined, stateOf('{}'))).rejects.toMatchObject({ code: 'ContainerMissing' });
    const [store] = fixture.stores;
    await store!.create({ resource: 'namespaces', namespace: '', name: 'ending' }, { uid: 'e', terminating: true, data: '{}' });
    await expect(states.store('ending/x', undefined, stateOf('{}'))).rejects.toMatchObject({ code: 'ContainerTerminating' });
    expect(await fixture.rows(`select path from terraform_state where path ~ '^(other|ending)/'`)).toEqual([]);
  });

  test('go with their namespace while it is being deleted, and only then', async () => {
    const path = 'default/kept';
    await states.store(path, undefined, stateOf('{}'));
    await states.removeNamespace('default', 'n');
    await states.removeNamespace('default', 'of an earlier one');
    expect(await states.newest(path)).toMatchObject({ version: 1 });
    await fixture.client.query(`insert into terraform_state (path, newest) values ('ending/x', 1), ('ending-later/x', 1), ('ending', 1)`);
    await states.removeNamespace('ending', 'of an earlier one');
    await states.removeNamespace('ending', 'e');
    expect(await fixture.rows(`select path from terraform_state where path ~ '^ending' order by 1`)).toEqual([
      { path: 'ending' },
      { path: 'ending-later/x' },
    ]);
    await fixture.client.query(`delete from terraform_state where path ~ '^ending'`);
  });

  test('lock no row that a batch needs, however long their transaction stays open', async () => {
    await using writer = await connected(fixture.url);
    await states.store('default/x', lease.revision, stateOf('{}'));
    await writer.query('begin');
    const { rows } = await writer.query(
      `select outcome from terraform_state_change('default/x', $1, '{"a":1}', 'me', 1, null, 9, 9, 999)`,
      [lease.revision],
    );
    expect(rows).toEqual([{ outcome: 'stored' }]);
    await fixture.client.query('begin');
    await fixture.client.query('select from revision_counter for update nowait');
    await fixture.client.query('select from objects for update nowait');
    await fixture.client.query('commit');
    // and so the lease is written and its container locked meanwhile
    const [store] = fixture.stores;
    lease = await store!.update(lease, { uid: 'l', terminating: false, data: '{"next":true}' });
    await store!.create(
      { ...LEASE, name: 'y' },
      { uid: 'y', terminating: false, data: '{}' },
      { container: { resource: 'namespaces', namespace: '', name: 'default' } },
    );
    await writer.query('rollback');
  });

  test('wait for a connection for as long as their callers do, and not for reads of the history', async () => {
    const database = new Database({ url: storeUrl(fixture.url), connectTimeoutMs: 500 }, silent);
    try {
      const others = new StateRepository(database, { bytes: 1000, percentPerNamespace: 25 });
      await others.store('default/slow', undefined, stateOf('{}'));
      await fixture.client.query('begin');
      await fixture.client.query(`select from terraform_state where path = 'default/slow' for update`);
      const keeping = [others.newest('default/slow'), others.newest('default/slow')];
      const waiting = Array.from({ length: 30 }, (_, at) => others.store(`default/waiting-${at}`, undefined, stateOf('{}')));
      await expect(others.newest('default/slow', AbortSignal.timeout(600))).rejects.toMatchObject({ name: 'TimeoutError' });
      expect(await database.query(LIST_STATE_VERSIONS, ['default/slow'], { purpose: 'history' })).toHaveLength(1);
      await fixture.client.query('commit');
      expect((await Promise.all(keeping)).map((found) => found?.version)).toEqual([1, 1]);
      expect(await Promise.all(waiting)).toEqual(Array(30).fill(1));
    } finally {
      await database.close();
    }
  });

  test('a state that was sent twice at once is stored once', async () => {
    const twice = await Promise.all([1, 2].map(() => states.store('default/twice', undefined, stateOf('{"once":true}'))));
    expect(twice).toEqual([1, 1]);
    expect((await states.versions('default/twice')).length).toBe(1);
  });

  test('many at once get their numbers one after the other', async () => {
    const numbers = await Promise.all(
      Array.from({ length: 15 }, (_, at) => states.store('default/many', undefined, stateOf(`{"at":${at}}`))),
    );
    expect([...numbers].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 15 }, (_, at) => at + 1));
  });

  describe('of a namespace that has used up its share', () => {
    const text = (bytes: number) => stateOf(`{"x":"${'x'.repeat(bytes - 8)}"}`);
    const full = (limit: string) => ({ code: 'QuotaExceeded', details: { limit: expect.stringContaining(limit) } });
    const share = full('max-state-percent-per-namespace=25 of max-state-bytes=1000, states=10000; delete states of this namespace');
    let database: Database;
    let limited: StateRepository;
    beforeAll(async () => {
      await fixture.client.query('delete from terraform_state');
      database = new Database({ url: storeUrl(fixture.url) }, silent);
      limited = new StateRepository(database, { bytes: 1000, percentPerNamespace: 25 });
      const [store] = fixture.stores;
      for (const name of ['b', 'default-2']) {
        await store!.create({ resource: 'namespaces', namespace: '', name }, { uid: name, terminating: false, data: '{}' });
      }
    });
    afterEach(() => fixture.client.query('delete from terraform_state'));
    afterAllTests(() => database.close());

    test('leave the room of others, until there is none', async () => {
      for (const name of ['1', '2']) expect(await limited.store(`default/${name}`, undefined, text(120))).toBe(1);
      await expect(limited.store('default/3', undefined, text(120))).rejects.toMatchObject(share);
      await expect(limited.store('default/3', undefined, text(11))).rejects.toMatchObject(share);
      expect(await limited.store('default/3', undefined, text(10))).toBe(1);
      expect(await limited.store('default-2/1', undefined, text(250))).toBe(1);
      await fixture.client.query(`insert into terraform_state (path, newest, bytes) values ('c/1', 1, 480)`);
      const all = full('max-state-bytes=1000, states=10000 in all namespaces; delete states, or raise max-state-bytes');
      await expect(limited.store('b/1', undefined, text(21))).rejects.toMatchObject(all);
      expect(await limited.store('b/1', undefined, text(20))).toBe(1);
    });

    test('leave the number of states that others may have', async () => {
      await fixture.client.query(`insert into terraform_state (path, newest) select 'default/' || i, 1 from generate_series(1, 2500) i`);
      await expect(limited.store('default/x1', undefined, text(10))).rejects.toMatchObject(share);
      expect(await limited.store('b/x1', undefined, text(10))).toBe(1);
    });

    test('give way to a version that is no larger than they are, even if the limit was higher when they came', async () => {
      const path = 'default/lowered';
      for (const bytes of [300, 200, 100]) await states.store(path, undefined, text(bytes));
      await expect(limited.store(path, undefined, text(601))).rejects.toMatchObject(share);
      expect(await limited.store(path, undefined, text(600))).toBe(4);
      expect((await states.versions(path)).map(({ version }) => version)).toEqual([4]);
      expect(await limited.store(path, undefined, text(200))).toBe(5);
      expect((await states.versions(path)).map(({ version }) => version)).toEqual([5]);
    });
  });
});
