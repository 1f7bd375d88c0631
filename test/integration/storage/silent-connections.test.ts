import { beforeEach, describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import type { PostgresStore } from '../../../src/storage/postgres/postgres-store.js';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { exact, latest, Workspace } from '../../suites/store-under-test.js';
import { DatabaseProxy } from './database-proxy.js';
import { openFixture } from './postgres-fixture.js';
import { eventually } from '../../support/eventually.js';

describe('a store whose connections fall silent without being closed', () => {
  let store: PostgresStore;

  const fixture = forEachTest(() => openFixture(1));
  const proxy = forEachTest(() => DatabaseProxy.start(fixture.url));
  beforeEach(async () => {
    store = await fixture.open({ database: { url: proxy.url(fixture.url), readTimeoutMs: 1_000 }, compaction: true, listen: true });
  });
  const cached = forEachTest(() => openCachedStore(store));

  it('reads, writes, follows and listens again within seconds over new connections', async () => {
    const space = new Workspace(cached);
    const a = await space.create('ns/a');
    await Promise.all([store.currentRevision(), store.currentRevision(), store.currentRevision()]);
    await eventually(() => store.listening);

    const silent = performance.now();
    proxy.silence();
    const [direct] = fixture.stores;
    const b = await direct!.update(a, { ...a, data: 'by another one' });
    // consistent
    expect((await cached.get(a.key, latest)).object).toEqual(b);
    expect(performance.now() - silent).toBeLessThan(15_000);
    expect((await store.get(a.key, exact(a.revision))).object).toEqual(a);
    const c = await cached.update(b, { ...b, data: 'here' });
    expect((await direct!.get(a.key, latest)).object).toEqual(c);
    await store.checkWrites();
    expect(cached.health().connected).toBe(true);
    // TCP would wait for a quarter of an hour.
    expect(performance.now() - silent).toBeLessThan(60_000);
    await eventually(() => store.listening);
  });

  it.each(['set_config', 'pg_backend_pid()'])(
    'writes again if a new connection for writes falls silent immediately, at %s',
    async (text) => {
      const space = new Workspace(store);
      const a = await space.create('ns/a');
      proxy.trap = { name: 'coordination-apiserver writes', text };
      proxy.cut();
      const b = await space.update(a, 'second');
      expect(proxy.trap).toBeUndefined();
      expect(b.revision).toBeGreaterThan(a.revision);
    },
  );

  it('does not treat a batch that waits for a lock as a dead connection', async () => {
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    const writers = () =>
      fixture.rows(`select pid from pg_stat_activity where datname = current_database() and application_name like '% writes'`);
    const before = await writers();
    await fixture.client.query('begin; select * from revision_counter for update');
    const update = space.update(a, 'second');
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    expect(await writers()).toEqual(before);
    await fixture.client.query('commit');
    expect((await update).revision).toBeGreaterThan(a.revision);
  });
});
