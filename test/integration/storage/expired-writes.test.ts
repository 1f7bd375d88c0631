import { beforeEach, describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import type { StoredObject } from '../../../src/storage/object-store.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { latest, refusalCode, value, Workspace } from '../../suites/store-under-test.js';
import { openFixture, pause } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

const within = (ms: number) => ({ requester: { deadline: performance.now() + ms } });

describe('writes that time out while another session holds the counter', () => {
  let store: PostgresStore;
  let space: Workspace;
  let objects: StoredObject[];

  const fixture = forEachTest(() => openFixture(1));
  beforeEach(async () => {
    store = fixture.stores[0]!;
    space = new Workspace(store);
    objects = await space.createAll('ns/a', 'ns/b', 'ns/c');
    await fixture.client.query('begin; select * from revision_counter for update');
  });

  const batchWaits = () =>
    eventually(async () => {
      const rows = await fixture.rows(
        `select 1 from pg_stat_activity where datname = current_database() and application_name like '% writes' and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
  const states = async () => Promise.all(objects.map(async ({ key }) => (await store.get(key, latest)).object));

  it('are not executed if their batch was already sent; other writes of the batch that have time are', async () => {
    const [a, b, c] = objects;
    const late = [store.update(a!, value('late'), within(300)), store.delete(c!, within(300))].map(refusalCode);
    const created = refusalCode(store.create(space.key('ns/d'), value('late'), within(300)));
    const inTime = store.update(b!, value('in time'), within(30_000));
    await batchWaits();
    await pause(400);
    await fixture.client.query('commit');
    expect(await Promise.all([...late, created])).toEqual(['Abandoned', 'Abandoned', 'Abandoned']);
    expect(await states()).toEqual([a, await inTime, c]);
    expect((await store.get(space.key('ns/d'), latest)).object).toBeUndefined();
  });

  it('are not executed in a batch of updates only', async () => {
    const [a, b, c] = objects;
    const late = refusalCode(store.update(a!, value('late'), within(300)));
    const others = [store.update(b!, value('in time')), store.update(c!, value('in time'), within(30_000))];
    await batchWaits();
    await pause(400);
    await fixture.client.query('commit');
    expect(await late).toBe('Abandoned');
    expect(await states()).toEqual([a, ...(await Promise.all(others))]);
  });

  it('are never sent if they were still queued', async () => {
    const [a, b, c] = objects;
    const first = store.update(a!, value('first'));
    await batchWaits();
    const requester: { aborted?: Error } = {};
    const queued = [store.update(b!, value('late'), within(100)), store.update(c!, value('gone'), { requester })].map(refusalCode);
    requester.aborted = new Error('the client is gone');
    await pause(150);
    await fixture.client.query('commit');
    expect(await Promise.all(queued)).toEqual(['Abandoned', 'Abandoned']);
    expect(await states()).toEqual([await first, b, c]);
  });
});
