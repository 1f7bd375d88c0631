import { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openPostgresStore } from '../../../src/storage/postgres/open-postgres-store.js';
import type { CachedStore } from '../../../src/storage/watch-cache/cached-store.js';
import { connected } from '../../support/connected.js';
import { eventually } from '../../support/eventually.js';
import { LISTENS, storeUrl } from '../../support/store-url.js';
import { openTestStore } from './open-test-store.js';
import { openFixture } from './postgres-fixture.js';

/*
 * A server's caches are of one installation. Where schemas are renamed, sessions that are open find the tables that have the names now.
 */
const RENAME = (from: string, to: string) => `alter schema ${from} rename to ${to}; alter schema ${from}_tables rename to ${to}_tables`;
const key = (name: string) => ({ resource: 'things', namespace: 'ns', name });
const LATEST = { consistency: { kind: 'latest' } } as const;
const create = (store: { create: CachedStore['create'] }, name: string) =>
  store.create(key(name), { uid: name, data: '{}', terminating: false });

test.each([
  ['while nothing is read or written', false],
  ['while it writes and reads', true],
])('a running server serves no other installation that takes the place of its own, %s', async (_, isBusy) => {
  await using fixture = await openFixture(0);
  const lines: string[] = [];
  const log = new Writable({ write: (line: Buffer, _encoding, done) => (lines.push(line.toString()), done()) });
  const options = { compaction: false, listen: LISTENS, database: { url: storeUrl(fixture.url) }, writeRetryMs: 200 };
  const store = await openPostgresStore(options, pino({ base: null, level: 'warn' }, log));
  try {
    const cache = await fixture.cache(store);
    await create(cache, 'one');
    const { objects: before } = await cache.list({ resource: 'things' }, LATEST);
    await using administrator = await connected(fixture.url);
    let busy = isBusy;
    const work = (async () => {
      while (busy) {
        await create(cache, `busy-${Math.random()}`).catch(() => undefined);
        await cache.list({ resource: 'things' }, LATEST).catch(() => undefined);
      }
    })();
    await administrator.query(RENAME('coordination', 'away'));
    await using other = await openTestStore(fixture.url).then((opened) => ({ opened, [Symbol.asyncDispose]: () => opened.close() }));
    await create(other.opened, 'of another');
    busy = false;
    await work;
    await expect(create(cache, 'two')).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(cache.list({ resource: 'things' }, LATEST)).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(store.states.newest('ns/state')).rejects.toMatchObject({ code: 'Unavailable' });
    const { rows } = await administrator.query<{ path: string }>(`select path from coordination_tables.objects where resource = 'things'`);
    expect(rows).toEqual([{ path: 'ns/of another' }]);
    expect(lines.join('')).not.toMatch(/lost revisions/);

    await administrator.query(RENAME('coordination', 'other'));
    await administrator.query(RENAME('away', 'coordination'));
    const isDone = (work: Promise<unknown>) =>
      work.then(
        () => true,
        () => false,
      );
    await eventually(() => isDone(create(cache, 'three')), undefined, 30_000);
    await eventually(() => isDone(cache.list({ resource: 'things' }, LATEST)), undefined, 30_000);
    const { objects: items } = await cache.list({ resource: 'things' }, LATEST);
    expect(items.map(({ uid }) => uid)).toEqual(expect.arrayContaining([...before.map(({ uid }) => uid), 'three']));
  } finally {
    await store.close();
  }
});
