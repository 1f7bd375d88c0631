import { ManualScheduler } from '../../../test/support/manual-scheduler.js';
import { unwatchedStoreSuite } from '../../../test/suites/object-store.suite.js';
import { type TermChange, LEASE_RESOURCE, TERM_RESOURCE } from '../term-change.js';
import { MemoryStore } from './memory-store.js';
import { MemoryTerms } from './memory-terms.js';

unwatchedStoreSuite('MemoryStore', () => {
  const scheduler = new ManualScheduler();
  const store = new MemoryStore({ scheduler });
  return Promise.resolve({
    store,
    compact: (revision) => Promise.resolve(store.compact(revision)),
    pass: (ms) => scheduler.pass(ms),
    close: () => Promise.resolve(),
  });
});

it('has terms in no snapshot, since a cache does not keep them', async () => {
  const store = new MemoryStore({ terms: new MemoryTerms(Date.now, () => undefined) });
  const lease = { resource: LEASE_RESOURCE, namespace: 'ns', name: 'a' };
  const sequel: TermChange = { leaseUid: 'u', begun: { holder: 'h' } };
  await store.create(lease, { uid: 'u', data: '{}', terminating: false }, { sequel });
  const terms = await store.list({ resource: TERM_RESOURCE }, { consistency: { kind: 'latest' } });
  expect(terms.objects).toHaveLength(1);
  const { objects, history } = await store.loadSnapshot();
  expect(objects.map(({ key }) => key)).toEqual([lease]);
  expect(history.events.map(({ object }) => object.key.resource)).toEqual([LEASE_RESOURCE, TERM_RESOURCE]);
});
