import { describe, expect, it } from '@jest/globals';
import { decoded, leaseTarget, LIST, refusal, RegistryFixture, DELETE } from '../../../test/support/registry-fixture.js';
import { lagging } from '../../../test/support/lagging-cache.js';
import type { DeleteOptions } from '../../apimachinery/options/delete-options.js';
import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { DeleteResult } from './delete.js';

const fixture = () => new RegistryFixture().withNamespace();

function objectOf(result: DeleteResult): Lease {
  if (!('object' in result)) throw new Error('there is no object');
  return decoded(result.object);
}

describe('deleting an object', () => {
  it('removes it and returns a Status that names the resource', async () => {
    const registry = await fixture();
    const { uid } = await registry.createLease({ metadata: { name: 'a' } });
    expect(await registry.deleteLease('a')).toEqual({
      status: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', group: 'coordination.k8s.io', kind: 'leases', uid },
      },
    });
    expect(await refusal(registry.deleteLease('a'))).toMatchObject({ code: 404, details: { name: 'a', kind: 'leases' } });
  });

  it('checks the preconditions first, and names the kind', async () => {
    const registry = await fixture();
    const { uid, revision } = await registry.createLease({ metadata: { name: 'a' } });
    const on = 'Operation cannot be fulfilled on Lease.coordination.k8s.io "a": ';
    expect(await refusal(registry.deleteLease('a', { uid: 'x' }))).toMatchObject({
      code: 409,
      message: `${on}the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      details: { name: 'a', group: 'coordination.k8s.io', kind: 'Lease' },
    });
    expect((await refusal(registry.deleteLease('a', { resourceVersion: '01' }))).message).toBe(
      `${on}the ResourceVersion in the precondition (01) does not match the ResourceVersion in record (${revision}). The object might have been modified`,
    );
    await registry.deleteLease('a', { uid, resourceVersion: String(revision) });
  });

  it('as a dry run has the same result and removes nothing', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a' } });
    expect(await registry.deleteLease('a', { dryRun: true })).toMatchObject({ status: { status: 'Success' } });
    expect(objectOf(await registry.deleteLease('a', { dryRun: true, propagationPolicy: 'Orphan' })).metadata.finalizers).toEqual([
      'orphan',
    ]);
    expect((await registry.getLease('a')).metadata.finalizers).toBeUndefined();
  });

  it('only marks an object with finalizers, and only once', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a', generation: 2, finalizers: ['example.com/hold'] } });
    const marked = await registry.deleteLease('a');
    expect(marked).toMatchObject({ accepted: false, object: { terminating: true } });
    expect(objectOf(marked).metadata).toMatchObject({
      generation: 3,
      deletionTimestamp: '2026-01-02T03:04:05Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.com/hold'],
    });
    registry.nowMs += 5000;
    expect(objectOf(await registry.deleteLease('a', { gracePeriodSeconds: 30 }))).toEqual(objectOf(marked));
  });

  it('is accepted only if the object has finalizers and its dependents are explicitly not orphaned', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a', finalizers: ['x'] } });
    expect(await registry.deleteLease('a', { orphanDependents: false })).toMatchObject({ accepted: true });
  });
});

describe('the unsafe deletion of an object', () => {
  it('is refused if the object can be decoded, with a dry run too', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a' } });
    for (const dryRun of [false, true]) {
      expect(await refusal(registry.deleteLease('a', { unsafe: true, dryRun }))).toMatchObject({
        code: 409,
        message:
          'Operation cannot be fulfilled on leases.coordination.k8s.io "a": StorageError: invalid object, Code: 4, Key: /registry/leases/ns/a, ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion is not allowed because the object is decodable from storage',
      });
    }
    expect(await refusal(registry.deleteLease('b', { unsafe: true }))).toMatchObject({ code: 404 });
  });

  it('removes what cannot be decoded, whatever finalizers it may have had', async () => {
    const registry = await fixture();
    const key = { resource: 'leases.coordination.k8s.io', namespace: 'ns', name: 'a' };
    await registry.memory.create(key, { uid: 'u', data: '{"metadata":{"finalizers":["x"]', terminating: false });
    await expect(registry.getLease('a')).rejects.toThrow();
    expect(await registry.deleteLease('a', { unsafe: true, dryRun: true })).toMatchObject({ status: { status: 'Success' } });
    expect(await registry.deleteLease('a', { unsafe: true })).toMatchObject({ status: { status: 'Success' } });
    expect(await refusal(registry.getLease('a'))).toMatchObject({ code: 404 });
  });
});

describe('deleting an object when the cache lags', () => {
  const key = { resource: 'leases.coordination.k8s.io', namespace: 'ns', name: 'a' };

  it('uses the newest state', async () => {
    const { registry, cache } = await lagging();
    const { revision } = await registry.createLease({ metadata: { name: 'a' } });
    await cache.freeze(key);
    await registry.putLease('a', { metadata: { name: 'a', resourceVersion: String(revision), finalizers: ['x'] } });
    expect(objectOf(await registry.deleteLease('a', { dryRun: true })).metadata.finalizers).toEqual(['x']);
    expect(await refusal(registry.deleteLease('a', { resourceVersion: String(revision) }))).toMatchObject({ code: 409 });
    expect(objectOf(await registry.deleteLease('a')).metadata.finalizers).toEqual(['x']);
  });

  it('reports that the object is gone', async () => {
    const { registry, cache } = await lagging();
    await registry.createLease({ metadata: { name: 'a' } });
    await cache.freeze(key);
    await registry.deleteLease('a');
    expect(await refusal(registry.deleteLease('a'))).toMatchObject({ code: 404 });
  });
});

describe("the garbage collector's finalizers", () => {
  it.each<[string, string[], Partial<DeleteOptions>, string[] | undefined]>([
    ['Orphan', [], { propagationPolicy: 'Orphan' }, ['orphan']],
    ['Foreground', ['x'], { propagationPolicy: 'Foreground' }, ['x', 'foregroundDeletion']],
    ['Background', ['orphan', 'x'], { propagationPolicy: 'Background' }, ['x']],
    ['Background', ['orphan'], { propagationPolicy: 'Background' }, undefined],
    ['orphanDependents', ['foregroundDeletion'], { orphanDependents: true }, ['orphan']],
    ['orphanDependents: false', ['orphan', 'foregroundDeletion', 'x'], { orphanDependents: false }, ['x']],
    ['nothing', ['orphan', 'x'], {}, ['orphan', 'x']],
    ['nothing', ['foregroundDeletion'], {}, ['foregroundDeletion']],
    ['Orphan', ['orphan', 'x'], { propagationPolicy: 'Orphan' }, ['orphan', 'x']],
    ['nothing', [], {}, undefined],
  ])('with %s on %j are set according to the options', async (_what, finalizers, options, expected) => {
    const registry = await fixture();
    const sent = finalizers.filter((name) => name !== 'foregroundDeletion' || !finalizers.includes('orphan'));
    await registry.createLease({ metadata: { name: 'a', finalizers: sent } });
    const result = await registry.deleteLease('a', options);
    expect('object' in result ? objectOf(result).metadata.finalizers : undefined).toEqual(expected);
  });

  it('change on an object that is already marked, which is removed when it has none', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a' } });
    await registry.deleteLease('a', { propagationPolicy: 'Foreground' });
    const again = objectOf(await registry.deleteLease('a', { propagationPolicy: 'Orphan' }));
    expect(again.metadata.finalizers).toEqual(['orphan']);
    expect(await registry.deleteLease('a', { propagationPolicy: 'Background' })).toMatchObject({ status: { status: 'Success' } });
  });
});

describe('deleting a collection', () => {
  async function withLeases() {
    const registry = await fixture();
    for (const name of ['c', 'a', 'b']) await registry.createLease({ metadata: { name, labels: { k: name === 'b' ? '2' : '1' } } });
    return registry;
  }
  const target = leaseTarget('');
  const names = async (registry: RegistryFixture) => (await registry.leases.list(target, LIST)).objects.map(({ key }) => key.name);

  it('returns the list of deleted objects', async () => {
    const registry = await withLeases();
    const page = await registry.leases.deleteCollection(registry.context, target, { ...LIST, labelSelector: 'k=1' }, DELETE);
    expect(page.objects.map(({ key }) => key.name)).toEqual(['a', 'c']);
    expect(page.continue).toBeUndefined();
    expect(await names(registry)).toEqual(['b']);
  });

  it('with a limit deletes one page', async () => {
    const registry = await withLeases();
    const page = await registry.leases.deleteCollection(registry.context, target, { ...LIST, limit: 2 }, DELETE);
    expect(page).toMatchObject({ remainingItemCount: 1, continue: expect.any(String) });
    expect(await names(registry)).toEqual(['c']);
  });

  it('marks objects with finalizers and returns them unmarked', async () => {
    const registry = await withLeases();
    await registry.createLease({ metadata: { name: 'd', finalizers: ['x'] } });
    const page = await registry.leases.deleteCollection(registry.context, target, LIST, DELETE);
    expect(page.objects.map((object) => object.terminating)).toEqual([false, false, false, false]);
    expect(await names(registry)).toEqual(['d']);
    expect((await registry.getLease('d')).metadata.deletionTimestamp).toBeDefined();
  });

  it('deletes nothing in a dry run or if a precondition fails', async () => {
    const registry = await withLeases();
    await registry.leases.deleteCollection(registry.context, target, LIST, { dryRun: true });
    const work = registry.leases.deleteCollection(registry.context, target, LIST, { dryRun: false, uid: 'x' });
    expect(await refusal(work)).toMatchObject({ code: 409 });
    expect(await names(registry)).toEqual(['a', 'b', 'c']);
  });

  it('with a precondition ends at the first object that it does not fit, and deletes nothing after the response', async () => {
    const registry = await withLeases();
    const revisionOf = async (name: string) => (await registry.getLease(name)).metadata.resourceVersion!;
    const work = registry.leases.deleteCollection(registry.context, target, LIST, { ...DELETE, resourceVersion: await revisionOf('a') });
    expect(await refusal(work)).toMatchObject({ code: 409, details: { name: 'b' } });
    expect(await names(registry)).toEqual(['b', 'c']);
    const other = registry.leases.deleteCollection(registry.context, target, LIST, { ...DELETE, resourceVersion: await revisionOf('c') });
    expect(await refusal(other)).toMatchObject({ code: 409, details: { name: 'b' } });
    expect(await names(registry)).toEqual(['b', 'c']);
  });

  it('deletes more objects than it handles at a time, in order of names', async () => {
    const registry = await fixture();
    const many = Array.from({ length: 150 }, (_, at) => `n${String(at).padStart(3, '0')}`);
    for (const name of many) await registry.createLease({ metadata: { name } });
    const { revision } = await registry.objects.get({ resource: 'x', namespace: '', name: '' }, { kind: 'latest' });
    await registry.leases.deleteCollection(registry.context, target, LIST, DELETE);
    const changes = await registry.memory.readChanges(revision);
    expect(changes === 'compacted' ? [] : changes.events.map(({ object }) => object.key.name)).toEqual(many);
  });
});
