import { afterEach, describe, expect, it } from '@jest/globals';
import { refusal, refusalCode, Workspace } from '../../../test/suites/store-under-test.js';
import { MemoryStore } from '../memory/memory-store.js';
import type { CachedStore } from './cached-store.js';
import { openCachedStore } from './open-cached-store.js';
import type { QuotaOptions } from './quota.js';

describe('quota', () => {
  let store: CachedStore;
  const open = async (quota: QuotaOptions) => {
    store = await openCachedStore(new MemoryStore(), { quota });
    return new Workspace(store);
  };
  afterEach(() => store.close());

  it('limits the objects of a namespace, and says so', async () => {
    const space = await open({ maxObjectsPerNamespace: 2 });
    const [a] = await space.createAll('ns/a', 'ns/b');
    const error = await refusal(space.create('ns/c'));
    expect(error).toMatchObject({ code: 'QuotaExceeded', details: { limit: 'at most 2 objects are allowed in namespace "ns"' } });
    await space.createAll('ns2/a', 'a', 'b', 'c');
    await space.update(a!, 'larger than before');
    await store.delete((await store.get(a!.key, { kind: 'latest' })).object!);
    await space.create('ns/c');
  });

  it('limits all objects', async () => {
    const space = await open({ maxObjects: 2 });
    await space.createAll('ns/a', 'b');
    expect((await refusal(space.create('ns2/c'))).details.limit).toBe('at most 2 objects are allowed');
  });

  it('limits bytes, for new and growing objects', async () => {
    const space = await open({ maxBytesPerNamespace: 100, maxBytes: 150 });
    const a = await space.create('ns/a', 'x'.repeat(90));
    expect((await refusal(space.create('ns/b', 'x'.repeat(11)))).details.limit).toMatch(/100 bytes .* in namespace "ns"/);
    expect((await refusal(space.update(a, 'x'.repeat(101)))).details.limit).toMatch(/100 bytes .* in namespace "ns"/);
    expect((await refusal(space.create('ns2/b', 'x'.repeat(61)))).details.limit).toBe('at most 150 bytes of objects are allowed');
    const larger = await space.update(a, 'x'.repeat(100));
    const smaller = await space.update(larger, 'x');
    await space.create('ns/b', 'x'.repeat(99));
    await space.update(smaller, 'y');
  });

  it('counts writes in progress', async () => {
    const space = await open({ maxObjectsPerNamespace: 5 });
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => space.create(`ns/${i}`)));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await space.names()).toHaveLength(5);
  });

  it('releases what a refused write had reserved', async () => {
    const space = await open({ maxObjects: 2 });
    await space.create('ns/a');
    for (let i = 0; i < 5; i++) expect(await refusalCode(space.create('ns/a'))).toBe('Exists');
    await space.create('ns/b');
  });
});
