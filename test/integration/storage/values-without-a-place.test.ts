import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { openFixture } from './postgres-fixture.js';

/*
 * PostgreSQL's text has no U+0000. A request with one is at fault, and nobody else notices: it is no outage, which would refuse the requests of others.
 */
const RESOURCE = 'leases.coordination.k8s.io';
const BAD = { code: 'BadData' };

const fixture = forAllTests(() => openFixture(1));

const key = (name: string) => ({ resource: RESOURCE, namespace: 'default', name });

test('a read, a write and a state with U+0000 are refused as bad data, and everything beside them succeeds', async () => {
  const store = fixture.stores[0]!;
  await store.create({ resource: 'namespaces', namespace: '', name: 'default' }, { uid: 'n', terminating: false, data: '{}' });
  await expect(store.get(key('a\0'), { kind: 'latest' })).rejects.toMatchObject(BAD);
  const state = { data: '{}', writer: 'me\0', serial: 1, lineage: undefined };
  await expect(store.states.store('default/x', undefined, state)).rejects.toMatchObject(BAD);
  await expect(store.states.newest('default/x\0')).rejects.toMatchObject(BAD);
  const created = (name: string, data: string) => store.create(key(name), { uid: name, data, terminating: false });
  const results = await Promise.allSettled([
    ...Array.from({ length: 8 }, (_, i) => created(`good-${i}`, '{}')),
    created('bad', '"\0"'),
    created('bad\0', '{}'),
  ]);
  expect(results.slice(0, 8).every(({ status }) => status === 'fulfilled')).toBe(true);
  for (const result of results.slice(8)) expect(result).toMatchObject({ status: 'rejected', reason: BAD });
  await store.checkWrites();
  await created('afterwards', '{}');
});
