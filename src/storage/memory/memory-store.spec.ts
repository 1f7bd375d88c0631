import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { objectStoreSuite } from '../../../test/suites/object-store.suite.js';
import { MemoryStore } from './memory-store.js';

objectStoreSuite('MemoryStore', () => {
  const scheduler = new ManualScheduler();
  const store = new MemoryStore({ scheduler });
  return Promise.resolve({
    store,
    compact: (revision) => Promise.resolve(store.compact(revision)),
    pass: (ms) => scheduler.pass(ms),
    close: () => Promise.resolve(),
  });
});
