import { beforeEach, describe, expect, it } from '@jest/globals';
import { forEachTest } from '../../support/for-tests.js';
import { Database } from '../../../src/storage/database/database.js';
import { latest, Workspace } from '../../suites/store-under-test.js';
import { eventually } from '../../support/eventually.js';
import { createEmptyDatabase } from '../../support/test-database.js';
import { DatabaseProxy } from './database-proxy.js';
import { openTestStore, silent } from './open-test-store.js';

describe('a pooler that hands over sessions before they are reset', () => {
  let url: string;

  const database = forEachTest(() => createEmptyDatabase());
  const proxy = forEachTest(() => DatabaseProxy.start(database.url));
  beforeEach(() => {
    url = proxy.url(database.url);
  });

  it.each([1, 2, 3, 4, 5])('does not stop a start: connection %i', async (nth) => {
    proxy.strayAnswers = Array.from({ length: nth }, (_, i) => i === nth - 1);
    const store = await openTestStore(url, { compaction: true, listen: true });
    expect(proxy.strayAnswers).toEqual([]);
    const a = await new Workspace(store).create('ns/a');
    expect((await store.get(a.key, latest)).object).toEqual(a);
    await store.close();
  });

  it('does not disturb reads, writes or notifications on new connections', async () => {
    const store = await openTestStore(url, { listen: true });
    const space = new Workspace(store);
    const a = await space.create('ns/a');
    await eventually(() => store.listening);
    for (let round = 0; round < 4; round++) {
      proxy.cut();
      // one each for reading, writing, following and listening
      proxy.strayAnswers = [true, true, true, true];
      // what the cut interrupts may fail
      const read = () => store.get(a.key, latest).catch(() => undefined);
      expect((await eventually(read)).object).toEqual(a);
      const checked = () =>
        store.checkWrites().then(
          () => true,
          () => false,
        );
      await eventually(checked);
      await eventually(() => store.listening);
      proxy.strayAnswers = [];
    }
    expect(await space.update(a, 'second')).toMatchObject({ data: 'second' });
    await store.close();
  });

  it('is found out by a dedicated connection, which is opened again', async () => {
    const connections = new Database({ url, pooling: 'session' }, silent);
    for (const purpose of ['start', 'command'] as const) {
      proxy.strayAnswers = [true];
      const client = await connections.connect(purpose);
      expect((await client.query('select 7 as n')).rows).toEqual([{ n: 7 }]);
      await client.end();
    }
    await connections.close();
  });

  it('is named if it happens again at once', async () => {
    const connections = new Database({ url, pooling: 'session' }, silent);
    proxy.strayAnswers = [true, true];
    await expect(connections.connect('command')).rejects.toThrow('a new connection brought the answer to another query');
    await connections.close();
  });
});
