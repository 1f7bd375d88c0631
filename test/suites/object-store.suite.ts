import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { MAX_VALUES } from '../../src/apimachinery/codec/limits/body-limits.js';
import { MAX_OBJECT_BYTES } from '../../src/storage/storage-errors.js';
import { listSuite } from './list.suite.js';
import type { UnwatchedStore } from '../../src/storage/object-store.js';
import {
  type OpenStore,
  type SuiteContext,
  any,
  exact,
  latest,
  notOlderThan,
  refusal,
  refusalCode,
  value,
  Workspace,
} from './store-under-test.js';
import { watchSuite } from './watch.suite.js';

/** The contract of storage/object-store.ts as tests, which every store runs. */
export function objectStoreSuite(name: string, open: OpenStore): void {
  unwatchedStoreSuite(name, open, watchSuite);
}

/** The same for a store without watches. */
export function unwatchedStoreSuite<Store extends UnwatchedStore>(
  name: string,
  open: OpenStore<Store>,
  more: (context: SuiteContext<Store>) => void = () => undefined,
): void {
  describe(`${name} as an object store`, () => {
    let space: Workspace;

    const opened = forAllTests(() => open());
    beforeEach(() => {
      space = new Workspace(opened.store);
    });

    const get = async (path: string) => (await opened.store.get(space.key(path), latest)).object;

    describe('create', () => {
      it('returns the state that a read then returns', async () => {
        const given = value('{"a":"\\u0000 é 😀"}');
        const created = await opened.store.create(space.key('ns/a'), given);
        expect(created).toMatchObject({ ...given, key: space.key('ns/a') });
        expect(await get('ns/a')).toEqual(created);
      });

      it("and the other writes do nothing if the request's time is over", async () => {
        const created = await space.create('ns/kept');
        for (const requester of [{ deadline: performance.now() }, { aborted: new Error('gone') }]) {
          const attempts = [
            opened.store.create(space.key('ns/late'), value(), { requester }),
            opened.store.update(created, value('late'), { requester }),
            opened.store.delete(created, { requester }),
          ];
          expect(await Promise.all(attempts.map(refusalCode))).toEqual(['Abandoned', 'Abandoned', 'Abandoned']);
        }
        expect([await get('ns/late'), await get('ns/kept')]).toEqual([undefined, created]);
      });

      it('assigns a revision above all earlier ones', async () => {
        const before = await opened.store.currentRevision();
        const [a, b] = await space.createAll('ns/a', 'ns/b');
        expect(a!.revision).toBeGreaterThan(before);
        expect(b!.revision).toBeGreaterThan(a!.revision);
        expect(await opened.store.currentRevision()).toBeGreaterThanOrEqual(b!.revision);
      });

      it('is refused if the object exists, and changes nothing', async () => {
        const created = await space.create('ns/a', 'first');
        expect(await refusalCode(space.create('ns/a', 'second'))).toBe('Exists');
        expect(await get('ns/a')).toEqual(created);
      });

      it('distinguishes objects of different namespaces, resources and scopes', async () => {
        const other = new Workspace(opened.store);
        await space.createAll('ns/a', 'ns2/a', 'a');
        await other.create('ns/a');
        expect(await space.names()).toEqual(['a', 'ns/a', 'ns2/a']);
        expect(await other.names()).toEqual(['ns/a']);
      });

      it('lets exactly one of many concurrent creations win', async () => {
        const attempts = await Promise.allSettled(Array.from({ length: 16 }, (_, i) => space.create('ns/a', `racer ${i}`)));
        const winners = attempts.filter((attempt) => attempt.status === 'fulfilled');
        expect(winners).toHaveLength(1);
        expect(await get('ns/a')).toEqual(winners[0]!.value);
      });

      it('is refused above the size limit', async () => {
        expect(await refusalCode(space.create('ns/a', 'x'.repeat(MAX_OBJECT_BYTES + 1)))).toBe('TooLarge');
        expect(await refusalCode(space.create('ns/a', 'é'.repeat(MAX_OBJECT_BYTES / 2 + 1)))).toBe('TooLarge');
        await space.create('ns/a', 'x'.repeat(MAX_OBJECT_BYTES));
        expect((await get('ns/a'))?.data).toHaveLength(MAX_OBJECT_BYTES);
      });

      it('is refused above the limit of values', async () => {
        const values = (count: number) => JSON.stringify(Array(count).fill(''));
        expect(await refusalCode(space.create('ns/a', values(MAX_VALUES + 1)))).toBe('TooLarge');
        await space.create('ns/a', values(MAX_VALUES));
      });
    });

    describe('create in a container', () => {
      const inContainer = (path: string) => opened.store.create(space.key(path), value(), { container: space.key('ns') });

      it('is refused if the container is missing', async () => {
        expect(await refusalCode(inContainer('ns/a'))).toBe('ContainerMissing');
        expect(await get('ns/a')).toBeUndefined();
      });

      it('is refused if the container is terminating', async () => {
        await opened.store.create(space.key('ns'), value('', true));
        expect(await refusalCode(inContainer('ns/a'))).toBe('ContainerTerminating');
        expect(await get('ns/a')).toBeUndefined();
      });

      it('works while the container is active, also after its renewal, and not once it is gone', async () => {
        const created = await space.create('ns');
        await inContainer('ns/a');
        const renewed = await space.update(created, 'renewed');
        await inContainer('ns/b');
        await opened.store.delete(renewed);
        expect(await refusalCode(inContainer('ns/c'))).toBe('ContainerMissing');
        expect(await space.names(space.range('ns'))).toEqual(['ns/a', 'ns/b']);
      });
    });

    describe('update', () => {
      it('replaces the state that the writer read', async () => {
        const created = await space.create('ns/a', 'first');
        const updated = await opened.store.update(created, { uid: created.uid, data: 'second', terminating: true });
        expect(updated).toMatchObject({ key: created.key, uid: created.uid, data: 'second', terminating: true });
        expect(updated.revision).toBeGreaterThan(created.revision);
        expect(await get('ns/a')).toEqual(updated);
      });

      it("is refused after another writer's update", async () => {
        const created = await space.create('ns/a', 'first');
        const second = await space.update(created, 'second');
        expect(await refusalCode(space.update(created, 'third'))).toBe('Conflict');
        expect(await get('ns/a')).toEqual(second);
      });

      it('is refused if the object is gone, even if another took its name', async () => {
        const created = await space.create('ns/a', 'first');
        await opened.store.delete(created);
        expect(await refusalCode(space.update(created, 'second'))).toBe('NotFound');
        await space.create('ns/a', 'other');
        expect(await refusalCode(space.update(created, 'second'))).toBe('Conflict');
      });

      it('lets exactly one of many writers that race from one state win', async () => {
        const created = await space.create('ns/a');
        const attempts = await Promise.allSettled(Array.from({ length: 64 }, (_, i) => space.update(created, `racer ${i}`)));
        const winners = attempts.filter((attempt) => attempt.status === 'fulfilled');
        expect(winners).toHaveLength(1);
        expect(await get('ns/a')).toEqual(winners[0]!.value);
      });

      it('is refused above the size limit', async () => {
        const created = await space.create('ns/a');
        expect(await refusalCode(space.update(created, 'x'.repeat(MAX_OBJECT_BYTES + 1)))).toBe('TooLarge');
        expect(await get('ns/a')).toEqual(created);
      });
    });

    describe('delete', () => {
      it('removes the state that the writer read and returns a new revision', async () => {
        const created = await space.create('ns/a');
        const revision = await opened.store.delete(created);
        expect(revision).toBeGreaterThan(created.revision);
        const read = await opened.store.get(space.key('ns/a'), latest);
        expect(read.object).toBeUndefined();
        expect(read.revision).toBeGreaterThanOrEqual(revision);
      });

      it('is refused if the state is not the newest, or gone', async () => {
        const created = await space.create('ns/a', 'first');
        const updated = await space.update(created, 'second');
        expect(await refusalCode(opened.store.delete(created))).toBe('Conflict');
        await opened.store.delete(updated);
        expect(await refusalCode(opened.store.delete(updated))).toBe('NotFound');
      });

      it('frees the name for another object', async () => {
        const created = await space.create('ns/a', 'first');
        await opened.store.delete(created);
        const again = await space.create('ns/a', 'again');
        expect(await get('ns/a')).toEqual(again);
      });

      it('leaves other objects alone when many writes arrive at once', async () => {
        const objects = await space.createAll(...Array.from({ length: 20 }, (_, i) => `ns/${String(i).padStart(2, '0')}`));
        await Promise.allSettled([
          ...objects.slice(0, 5).map((object) => opened.store.delete(object)),
          ...objects.slice(5, 10).map((object) => space.update(object, 'renewed')),
          ...objects.slice(0, 10).map((object) => space.create(`ns/${object.key.name}`)),
          space.create('ns/new'),
        ]);
        const renewed = await opened.store.list(space.range(), { consistency: latest, predicate: ({ data }) => data === 'renewed' });
        expect(renewed.objects.map((object) => object.key.name)).toEqual(['05', '06', '07', '08', '09']);
        expect(await get('ns/new')).toBeDefined();
        expect(await get('ns/15')).toEqual(objects[15]);
      });
    });

    describe('get', () => {
      it('returns own writes at once', async () => {
        let object = await space.create('ns/a', '0');
        for (let i = 1; i <= 5; i++) {
          object = await space.update(object, `${i}`);
          expect(await get('ns/a')).toEqual(object);
        }
      });

      it('suggests a state that once was current, or nothing', async () => {
        const key = space.key('ns/a');
        expect(opened.store.suggest(key)).toBeUndefined();
        const created = await space.create('ns/a');
        const read = await get('ns/a');
        expect([undefined, created, read]).toContainEqual(opened.store.suggest(key));
        await opened.store.delete(created);
        await get('ns/a');
        expect(opened.store.suggest(key)).toBeUndefined();
      });

      it('returns any state without waiting', async () => {
        const { revision } = await opened.store.get(space.key('ns/missing'), any);
        expect(revision).toBeGreaterThan(0);
      });

      it('returns a state not older than requested', async () => {
        const created = await space.create('ns/a');
        const read = await opened.store.get(space.key('ns/a'), notOlderThan(created.revision));
        expect(read.object).toEqual(created);
        expect(read.revision).toBeGreaterThanOrEqual(created.revision);
      });

      it('returns the state at an exact revision', async () => {
        const created = await space.create('ns/a', 'first');
        const updated = await space.update(created, 'second');
        const deleted = await opened.store.delete(updated);
        expect(await opened.store.get(space.key('ns/a'), exact(created.revision))).toEqual({ object: created, revision: created.revision });
        expect((await opened.store.get(space.key('ns/a'), exact(updated.revision))).object).toEqual(updated);
        expect((await opened.store.get(space.key('ns/a'), exact(created.revision - 1))).object).toBeUndefined();
        expect((await opened.store.get(space.key('ns/a'), exact(deleted))).object).toBeUndefined();
      });
    });

    describe('a future revision', () => {
      it('is refused at once if requested exactly', async () => {
        const current = await opened.store.currentRevision();
        for (const asked of [BigInt(current) + 1_000_000n, 2n ** 63n]) {
          const error = await refusal(opened.store.list(space.range(), { consistency: exact(asked) }));
          expect(error).toMatchObject({ code: 'TooLargeRevision', details: { requested: asked } });
          expect(error.details.current).toBeGreaterThanOrEqual(current);
        }
      });

      it('is waited for if requested as a minimum, then refused', async () => {
        const asked = notOlderThan(2n ** 62n);
        const reads = [
          refusal(opened.store.get(space.key('ns/a'), asked)),
          refusal(opened.store.list(space.range(), { consistency: asked })),
        ];
        await opened.pass?.(3_500);
        for (const error of await Promise.all(reads)) {
          expect(error).toMatchObject({ code: 'TooLargeRevision', details: { requested: asked.revision } });
        }
      });

      it('is served as soon as it exists', async () => {
        const current = await opened.store.currentRevision();
        const reading = opened.store.get(space.key('ns/a'), notOlderThan(current + 1));
        const created = await space.create('ns/a');
        const read = await reading;
        expect(read.revision).toBeGreaterThan(current);
        if (read.revision >= created.revision) expect(read.object).toEqual(created);
      });
    });

    listSuite(() => ({ opened, space }));
    more(() => ({ opened, space }));
  });
}
