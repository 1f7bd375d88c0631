import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ManualScheduler } from '../../../../test/support/manual-scheduler.js';
import { MemoryStore } from '../../memory/memory-store.js';
import type { ListOptions } from '../../object-store.js';
import { readPage } from './resource-state.js';
import { WatchCache } from './watch-cache.js';

const resource = 'things';
const latest = { kind: 'latest' } as const;

/** Writes of one client to few names, so that objects are created and deleted several times. */
async function write(store: MemoryStore, steps: readonly { name: string; remove: boolean }[]): Promise<void> {
  for (const { name, remove } of steps) {
    const key = { resource, namespace: name.startsWith('a') ? 'ns' : 'ns-2', name };
    const { object } = await store.get(key, latest);
    // Another resource has objects with the same names, created and deleted at other times.
    const other = { ...key, resource: 'others' };
    const namesake = (await store.get(other, latest)).object;
    if (remove && namesake) await store.delete(namesake);
    else if (!namesake) await store.create(other, { uid: '', data: '', terminating: false });
    if (!object) await store.create(key, { uid: name, data: `made at ${await store.currentRevision()}`, terminating: false });
    else if (remove) await store.delete(object);
    else await store.update(object, { ...object, data: `renewed at ${await store.currentRevision()}` });
  }
}

describe('a historical state', () => {
  it('equals the store at that revision, on every page of every size, even with changes between pages', async () => {
    const step = fc.record({ name: fc.constantFrom('a1', 'a2', 'a3', 'b1', 'b2'), remove: fc.boolean() });
    const steps = fc.array(step, { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, steps, steps, fc.nat(), fc.constantFrom(undefined, 1, 2, 10), async (first, second, third, nth, limit) => {
        const store = new MemoryStore({ initialRevision: 1 });
        const cache = new WatchCache({ historyMs: 1_000, maxBytes: 1e9 }, new ManualScheduler());
        await write(store, first);
        cache.load(await store.loadSnapshot());
        store.onCommitted((changes) => cache.apply(changes));
        await write(store, second);
        const exact = 1 + (nth % cache.revision);
        const check = async () => {
          for (const namespace of [undefined, 'ns', 'ns-2']) {
            for (const start of [undefined, namespace ? 'a2' : 'ns/a2', namespace ? 'a2\0' : 'ns/a2\0']) {
              const options: ListOptions = { consistency: { kind: 'exact', revision: BigInt(exact) }, limit, start };
              const range = { resource, namespace };
              const view = cache.stateAt(resource, exact);
              expect(view && readPage(view, exact, range, options)).toEqual(await store.list(range, options));
            }
          }
        };
        await check();
        await write(store, third);
        await check();
      }),
      { numRuns: 60 },
    );
  });
});
