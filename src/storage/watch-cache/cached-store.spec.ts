import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { objectStoreSuite } from '../../../test/suites/object-store.suite.js';
import { MemoryStore } from '../memory/memory-store.js';
import { openCachedStore } from './open-cached-store.js';

objectStoreSuite('CachedStore over MemoryStore', async () => {
  const scheduler = new ManualScheduler();
  const inner = new MemoryStore({ scheduler });
  const store = await openCachedStore(inner, { scheduler });
  return {
    store,
    compact: (revision) => {
      inner.compact(revision);
      store.forgetHistory(revision);
      return Promise.resolve();
    },
    pass: (ms) => scheduler.pass(ms),
    close: () => Promise.resolve(store.close()),
  };
});
