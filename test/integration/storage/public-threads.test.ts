import { expect, test } from '@jest/globals';
import { openCachedStore } from '../../../src/storage/watch-cache/open-cached-store.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase } from '../../support/test-database.js';
import { latest, Workspace } from '../../suites/store-under-test.js';
import { openTestStore } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

// Faults of other programs on PostgreSQL, tried here (docs/robustness.md).

test('changes arrive within ten seconds where LISTEN has been dropped and the connection answers (pg-boss#850)', async () => {
  await using fixture = await openFixture(0);
  const listener = await openTestStore(fixture.url, { listen: true });
  // As if a pooler had given its session to somebody else: what is sent is not what it listens to.
  const writer = await openTestStore(fixture.url, { listen: true, channel: 'dropped' });
  const cached = await openCachedStore(listener);
  try {
    const space = new Workspace(writer);
    const { key } = await space.create('a/b', 'x');
    const started = performance.now();
    await eventually(async () => (await cached.get(key, { kind: 'any' })).object !== undefined);
    expect(performance.now() - started).toBeLessThan(15_000);
    await writer.create(space.key('a/c'), { uid: 'c', data: 'y', terminating: false });
    // a consistent read waits for nothing but the database
    expect((await cached.list(space.range('a'), { consistency: latest })).objects).toHaveLength(2);
  } finally {
    cached.close();
    await Promise.all([listener.close(), writer.close()]);
  }
});

test('thirty installations share one PostgreSQL, and none sees or delays another (kine#365)', async () => {
  const databases = [];
  for (let n = 0; n < 30; n++) databases.push(await createTestDatabase());
  const stores = await Promise.all(databases.map(({ url }) => openTestStore(url)));
  try {
    const spaces = stores.map((store) => new Workspace(store));
    const created = await Promise.all(spaces.map((space, n) => space.create(`a/${n}`, String(n))));
    for (let round = 0; round < 5; round++) {
      const updated = await Promise.all(spaces.map((space, n) => space.update(created[n]!, String(round))));
      updated.forEach((object, n) => (created[n] = object));
    }
    expect(await Promise.all(spaces.map((space) => space.names()))).toEqual(spaces.map((_, n) => [`a/${n}`]));
    await Promise.all(stores.map((store) => store.checkWrites()));
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    for (const database of databases) await database.drop();
  }
});
