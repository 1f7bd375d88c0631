import { afterEach, describe, expect, it } from '@jest/globals';
import { refusal, refusalCode, Workspace } from '../../../test/suites/store-under-test.js';
import { CreatorTags } from '../requester.js';
import { MemoryStore } from '../memory/memory-store.js';
import type { StoredObject } from '../object-store.js';
import type { StorageError } from '../storage-errors.js';
import type { CachedStore } from './cached-store.js';
import { openCachedStore } from './open-cached-store.js';
import type { QuotaOptions } from './quota.js';

const kib = (count: number) => count * 1024;
const text = (size: number) => 'x'.repeat(kib(size));
const tags = new CreatorTags('key');

/** Creates an object of so many KiB. */
function createAs(space: Workspace, path: string, name: string, size: number, groups: string[] = []): Promise<StoredObject> {
  const user = { name, groups };
  return space.store.create(space.key(path), { uid: tags.newUid(user), data: text(size), terminating: false }, { requester: { user } });
}

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
    const space = await open({ maxBytesPerNamespace: kib(100), maxBytes: kib(150) });
    const a = await space.create('ns/a', text(90));
    expect((await refusal(space.create('ns/b', text(11)))).details.limit).toMatch(/102400 bytes .* in namespace "ns"/);
    expect((await refusal(space.update(a, text(101)))).details.limit).toMatch(/102400 bytes .* in namespace "ns"/);
    expect((await refusal(space.create('ns2/b', text(61)))).details.limit).toBe('at most 153600 bytes of objects are allowed');
    const larger = await space.update(a, text(100));
    const smaller = await space.update(larger, text(1));
    await space.create('ns/b', text(99));
    await space.update(smaller, 'y');
  });

  it('lets a lease be taken over under a longer name, however full it is', async () => {
    const space = await open({ maxBytes: kib(2) });
    const lease = await space.create('ns/lease', 'held by a');
    expect(await refusalCode(space.create('ns/other'))).toBe('QuotaExceeded');
    const taken = await space.update(lease, `held by ${'b'.repeat(1000)}`);
    expect(await refusalCode(space.update(taken, text(3)))).toBe('QuotaExceeded');
    await space.update(taken, 'released');
  });

  it.each([
    { share: 'namespace', hog: 'in namespace "hog"', other: 'in namespace "other"', place: (who: string, at: number) => `${who}/${at}` },
    { share: 'user', hog: 'by user "hog"', other: 'by user "other"', place: (who: string, at: number) => `${who}${at}/a` },
  ])('leaves room to others, however much a $share takes', async ({ share, hog, other, place }) => {
    const space = await open({ maxBytes: kib(256) });
    const fill = async (who: string): Promise<readonly [number, string | undefined]> => {
      for (let at = 0; ; at++) {
        const user = share === 'user' ? who : `${who}${at}`;
        const refused = await createAs(space, place(who, at), user, 1).then(
          () => undefined,
          (error: StorageError) => error.details.limit,
        );
        if (refused !== undefined) return [at, refused];
      }
    };
    expect(await fill('hog')).toEqual([192, expect.stringContaining(hog)]);
    expect(await fill('other')).toEqual([48, expect.stringContaining(other)]);
    await createAs(space, 'newcomer/a', 'newcomer', 4);
  });

  it('lets who has more than the share renew, shrink and delete', async () => {
    const space = await open({ maxBytes: kib(100), maxBytesPerUser: kib(80) });
    const first = await createAs(space, 'ns/a', 'hog', 75);
    expect((await refusal(createAs(space, 'ns/b', 'hog', 1))).details.limit).toBe(
      '76800 of at most 102400 bytes of objects are used in namespace "ns", and no namespace or user may have more than three times what is left',
    );
    const renewed = await space.update(first, text(75));
    await store.delete(await space.update(renewed, text(74)));
    await createAs(space, 'ns/b', 'hog', 75);
  });

  it('charges what somebody else makes larger to who created it', async () => {
    const space = await open({ maxBytesPerUser: kib(2) });
    const object = await createAs(space, 'ns/a', 'owner', 2);
    expect((await refusal(space.update(object, text(3)))).details.limit).toMatch(/by the user who created this object$/);
    await space.create('ns/b', text(3));
  });

  it('gives Events room of their own', async () => {
    const space = await open({ maxBytes: kib(8), maxEventBytes: kib(4), maxObjects: 1 });
    const event = (name: string, size: number) =>
      store.create({ resource: 'events', namespace: 'ns', name }, { uid: 'u', data: text(size), terminating: false });
    await event('a', 2);
    await event('b', 1);
    expect((await refusal(event('c', 1))).details.limit).toMatch(/3072 of at most 4096 bytes of events are used in namespace "ns"/);
    await space.create('ns/lease', text(6));
    expect((await refusal(event('c', 2))).details.limit).toBe('at most 4096 bytes of events are allowed');
  });

  it('has no share for administrators', async () => {
    const space = await open({ maxBytesPerUser: 1024 });
    for (const name of ['a', 'b']) await createAs(space, `ns/${name}`, 'admin', 1, ['system:masters']);
  });

  it('knows the shares again after a restart', async () => {
    const memory = new MemoryStore();
    store = await openCachedStore(memory, { quota: { maxBytesPerUser: kib(2) } });
    await createAs(new Workspace(store), 'ns/a', 'hog', 2);
    store.close();
    store = await openCachedStore(memory, { quota: { maxBytesPerUser: kib(2) } });
    expect((await refusal(createAs(new Workspace(store), 'ns/b', 'hog', 1))).details.limit).toBe(
      'at most 2048 bytes of objects are allowed by user "hog"',
    );
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
