import { describe, expect, it } from '@jest/globals';
import { keyAfter } from '../../src/storage/continue-token.js';
import type { Consistency, KeyRange, Predicate, StoredObject, UnwatchedStore } from '../../src/storage/object-store.js';
import { type SuiteContext, any, exact, latest, notOlderThan, pathOf, refusal, refusalCode } from './store-under-test.js';

/** The store suite's tests of lists. */
export function listSuite(context: SuiteContext<UnwatchedStore>): void {
  const relative = (range: KeyRange, object: StoredObject) => (range.namespace ? object.key.name : pathOf(object));

  /** Follows pages as a client with a continue token does. */
  const pages = async (range: KeyRange, limit: number, consistency: Consistency, predicate?: Predicate) => {
    const { store } = context().opened;
    const sizes: number[] = [];
    const paths: string[] = [];
    const remaining: (number | undefined)[] = [];
    let start: string | undefined;
    for (let at = consistency, more = true; more;) {
      const page = await store.list(range, { consistency: at, start, limit, predicate });
      at = exact(page.revision);
      more = page.more;
      sizes.push(page.objects.length);
      remaining.push(page.more ? page.remaining : 0);
      paths.push(...page.objects.map(pathOf));
      const last = page.objects.at(-1);
      if (last) start = keyAfter(relative(range, last));
    }
    return { sizes, paths, remaining };
  };

  describe('list', () => {
    it('returns all objects of its range in byte order of their paths', async () => {
      const { space } = context();
      const paths = ['ns-b/a', 'ns/B', 'ns/a', 'ns/a-b', 'ns/a.b', 'ns/a0', 'ns/ab', 'ns/b', 'ns0/a'];
      await space.createAll(...paths.toReversed());
      expect(await space.names()).toEqual(paths);
      expect(await space.names(space.range('ns'))).toEqual(paths.filter((path) => path.startsWith('ns/')));
      expect(await space.names(space.range('ns-b'))).toEqual(['ns-b/a']);
      expect(await space.names(space.range('n'))).toEqual([]);
    });

    it('returns one object if the range names it', async () => {
      const { space } = context();
      await space.createAll('ns/a', 'ns/ab', 'ns2/a', 'c');
      expect(await space.names(space.range('ns', 'a'))).toEqual(['ns/a']);
      expect(await space.names(space.range('ns', 'b'))).toEqual([]);
      expect(await space.names(space.range('', 'c'))).toEqual(['c']);
    });

    it('returns cluster-scoped objects in order', async () => {
      const { space } = context();
      await space.createAll('b', 'a', 'a-b');
      expect(await space.names()).toEqual(['a', 'a-b', 'b']);
    });

    it('returns own writes at once, at a revision that covers them', async () => {
      const { opened, space } = context();
      const created = await space.create('ns/a', 'first');
      const updated = await space.update(created, 'second');
      const { objects, revision } = await opened.store.list(space.range(), { consistency: latest });
      expect(objects).toEqual([updated]);
      expect(revision).toBeGreaterThanOrEqual(updated.revision);
    });

    it('applies its predicate', async () => {
      const { space } = context();
      await space.create('ns/a', 'red');
      await space.create('ns/b', 'green');
      await space.create('ns/c', 'red');
      expect(await space.names(space.range('ns'), { predicate: ({ data }) => data === 'red' })).toEqual(['ns/a', 'ns/c']);
    });

    it('serves consistency any and not-older-than', async () => {
      const { opened, space } = context();
      const created = await space.create('ns/a');
      const list = await opened.store.list(space.range(), { consistency: notOlderThan(created.revision) });
      expect(list.objects).toEqual([created]);
      expect((await opened.store.list(space.range(), { consistency: any })).revision).toBeGreaterThan(0);
    });
  });

  describe('a list in pages', () => {
    it('says of each page whether more follows', async () => {
      const { opened, space } = context();
      await space.createAll('ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e', 'ns2/a');
      const first = await opened.store.list(space.range('ns'), { consistency: latest, limit: 2 });
      expect(first.objects.map(pathOf)).toEqual(['ns/a', 'ns/b']);
      expect(first).toMatchObject({ more: true, remaining: 3 });
      const second = await opened.store.list(space.range('ns'), { consistency: exact(first.revision), start: keyAfter('b'), limit: 2 });
      expect(second.objects.map(pathOf)).toEqual(['ns/c', 'ns/d']);
      expect(second).toMatchObject({ more: true, remaining: 1, revision: first.revision });
      const third = await opened.store.list(space.range('ns'), { consistency: exact(first.revision), start: keyAfter('d'), limit: 2 });
      expect(third.objects.map(pathOf)).toEqual(['ns/e']);
      expect(third.more).toBe(false);
    });

    it('accepts any limit', async () => {
      const { opened, space } = context();
      await space.createAll('ns/a', 'ns/b');
      const { revision } = await opened.store.list(space.range(), { consistency: latest });
      await space.create('ns/c');
      for (const limit of [2 ** 31, 2 ** 53, 2 ** 63]) {
        expect((await pages(space.range(), limit, latest)).sizes).toEqual([3]);
        expect((await pages(space.range(), limit, exact(revision))).sizes).toEqual([2]);
      }
    });

    it('ends with a full page if nothing follows it', async () => {
      const { space } = context();
      await space.createAll('ns/a', 'ns/b', 'ns/c', 'ns/d');
      expect(await pages(space.range('ns'), 2, latest)).toMatchObject({ sizes: [2, 2], remaining: [2, 0] });
      expect(await pages(space.range('ns'), 4, latest)).toMatchObject({ sizes: [4] });
      expect(await pages(space.range('ns'), 0, latest)).toMatchObject({ sizes: [4] });
    });

    it('crosses namespaces in order of namespace and name', async () => {
      const { space } = context();
      const paths = ['ns-b/a', 'ns-b/b', 'ns/a', 'ns/b', 'ns0/a'];
      await space.createAll(...paths);
      expect(await pages(space.range(), 2, latest)).toEqual({ paths, sizes: [2, 2, 1], remaining: [3, 1, 0] });
    });

    it(`starts with the token's own key if the token does not say "behind it"`, async () => {
      const { space } = context();
      await space.createAll('ns/a', 'ns/b', 'ns/c');
      expect(await space.names(space.range('ns'), { start: 'b' })).toEqual(['ns/b', 'ns/c']);
      expect(await space.names(space.range('ns'), { start: keyAfter('b') })).toEqual(['ns/c']);
      expect(await space.names(space.range(), { start: 'ns/bb' })).toEqual(['ns/c']);
      expect(await space.names(space.range('ns'), { start: 'x' })).toEqual([]);
      expect(await space.names(space.range('ns'), { start: '\u{1f600}' })).toEqual([]);
    });

    it('counts only matching objects, but reports any key after the page', async () => {
      const { opened, space } = context();
      for (const [name, data] of Object.entries({ a: 'red', b: 'green', c: 'red', d: 'red', e: 'green' })) {
        await space.create(`ns/${name}`, data);
      }
      const predicate: Predicate = ({ data }) => data === 'red';
      const first = await opened.store.list(space.range('ns'), { consistency: latest, limit: 2, predicate });
      expect(first.objects.map(pathOf)).toEqual(['ns/a', 'ns/c']);
      expect(first.more).toBe(true);
      expect(first.remaining).toBeUndefined();
      expect(await pages(space.range('ns'), 3, latest, predicate)).toMatchObject({
        paths: ['ns/a', 'ns/c', 'ns/d'],
        sizes: [3, 0],
      });
    });

    it('shows on every page the state as of the first page', async () => {
      const { opened, space } = context();
      const [a, b, , d] = await space.createAll('ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/f');
      const first = await opened.store.list(space.range('ns'), { consistency: latest, limit: 2 });
      await space.update(d!, 'renewed');
      await space.create('ns/e', 'new');
      await opened.store.delete(b!);
      await opened.store.delete(await space.update(await space.create('ns/dd'), 'short life'));
      const c = (await opened.store.get(space.key('ns/c'), latest)).object!;
      await opened.store.delete(c);
      const again = await space.create('ns/c', 'again');
      await space.update(again, 'and again');
      await opened.store.delete(a!);

      const consistency = exact(first.revision);
      const second = await opened.store.list(space.range('ns'), { consistency, start: keyAfter('b'), limit: 2 });
      expect(second.objects).toEqual([c, d]);
      expect(second).toMatchObject({ revision: first.revision, more: true, remaining: 1 });
      expect(await pages(space.range('ns'), 2, consistency)).toEqual({
        paths: ['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/f'],
        sizes: [2, 2, 1],
        remaining: [3, 1, 0],
      });
      expect(await space.names()).toEqual(['ns/c', 'ns/d', 'ns/e', 'ns/f']);
    });

    it('is empty at an exact revision before the first object', async () => {
      const { opened, space } = context();
      const revision = await opened.store.currentRevision();
      await space.createAll('ns/a', 'ns/b');
      const list = await opened.store.list(space.range(), { consistency: exact(revision), limit: 1 });
      expect(list).toMatchObject({ objects: [], revision, more: false });
    });
  });

  describe('a compacted revision', () => {
    it('is refused with the oldest available revision', async () => {
      const { opened, space } = context();
      const created = await space.create('ns/a', 'first');
      const updated = await space.update(created, 'second');
      await space.create('ns/b');
      await opened.compact(updated.revision);
      const error = await refusal(opened.store.list(space.range(), { consistency: exact(created.revision) }));
      expect(error).toMatchObject({ code: 'Compacted', details: { requested: BigInt(created.revision) } });
      expect(error.details.current).toBeGreaterThan(created.revision);
      expect(error.details.current).toBeLessThanOrEqual(updated.revision);
      expect(await refusalCode(opened.store.get(space.key('ns/a'), exact(1n)))).toBe('Compacted');
    });

    it('leaves newer revisions readable', async () => {
      const { opened, space } = context();
      const created = await space.create('ns/a', 'first');
      const updated = await space.update(created, 'second');
      const b = await space.create('ns/b');
      await opened.compact(updated.revision);
      expect((await opened.store.list(space.range(), { consistency: exact(updated.revision) })).objects).toEqual([updated]);
      expect((await opened.store.list(space.range(), { consistency: latest })).objects).toEqual([updated, b]);
    });
  });
}
