import { describe, expect, it } from '@jest/globals';
import { lagging } from '../../../test/support/lagging-cache.js';
import { settle } from '../../../test/support/manual-scheduler.js';
import {
  DRY_RUN,
  RegistryFixture,
  WRITE,
  decoded,
  leaseTarget,
  namespaceTarget,
  patch,
  put,
  refusal,
} from '../../../test/support/registry-fixture.js';
import { WatchRecorder } from '../../../test/support/watch-recorder.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { UpdateSource } from '../resource/resource-store.js';

const fixture = () => new RegistryFixture().withNamespace();
const version = ({ revision }: StoredObject) => String(revision);

async function withLease(metadata: object = {}) {
  const registry = await fixture();
  const created = await registry.createLease({ metadata: { name: 'a', ...metadata }, spec: { holderIdentity: 'one' } });
  return { registry, created };
}

describe('a PUT', () => {
  it('replaces the object with that version', async () => {
    const { registry, created } = await withLease({ labels: { a: 'b' } });
    const updated = await registry.putLease('a', {
      metadata: { name: 'a', resourceVersion: version(created) },
      spec: { holderIdentity: 'two' },
    });
    expect(updated.revision).toBeGreaterThan(created.revision);
    expect(decoded(updated)).toMatchObject({ spec: { holderIdentity: 'two' }, metadata: { uid: created.uid, namespace: 'ns' } });
    expect(decoded(updated).metadata.labels).toBeUndefined();
    expect(await registry.getLease('a')).toEqual(decoded(updated));
  });

  it.each([
    ['no version', undefined, 422, 'is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update'],
    ['version 0', '0', 422, 'is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update'],
    ['another version', '99999999', 409, 'the object has been modified; please apply your changes to the latest version and try again'],
    ['a version that is not a number', 'abc', 400, 'strconv.ParseUint: parsing "abc": invalid syntax'],
  ])('with %s is refused', async (_what, resourceVersion, code, message) => {
    const { registry } = await withLease();
    const status = await refusal(registry.putLease('a', { metadata: { name: 'a', resourceVersion } }));
    expect(status.code).toBe(code);
    expect(status.message).toContain(message);
    if (code === 422) expect(status.details?.kind).toBe('leases');
  });

  it.each([
    ['without a name', {}, 'the name of the object (a based on URL) was undeterminable: name must be provided'],
    ['with another name', { name: 'b' }, 'the name of the object (b) does not match the name on the URL (a)'],
    [
      'with another namespace',
      { name: 'a', namespace: 'x' },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('%s is refused, whether the object exists or not', async (_what, metadata, message) => {
    const { registry } = await withLease();
    expect(await refusal(registry.putLease('a', { metadata: { ...metadata, uid: 'wrong' } }))).toMatchObject({ code: 400, message });
    const missing = { ...metadata, ...('name' in metadata && metadata.name === 'a' ? { name: 'c' } : {}) };
    expect(await refusal(registry.putLease('c', { metadata: missing }))).toMatchObject({ code: 400 });
  });

  it('with a uid applies only to the object with this uid', async () => {
    const { registry, created } = await withLease();
    const path = 'StorageError: invalid object, Code: 4, Key: /registry/leases/ns/';
    const resourceVersion = version(created);
    expect((await refusal(registry.putLease('a', { metadata: { name: 'a', uid: 'other', resourceVersion } }))).message).toBe(
      `Operation cannot be fulfilled on leases.coordination.k8s.io "a": ${path}a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${created.uid}`,
    );
    expect(await refusal(registry.putLease('b', { metadata: { name: 'b', uid: 'other' } }))).toMatchObject({
      code: 409,
      message: expect.stringMatching(/UID in precondition: other, UID in object meta: $/),
    });
    await registry.putLease('a', { metadata: { name: 'a', uid: created.uid, resourceVersion } });
  });

  it('cannot change what the server keeps', async () => {
    const { registry, created } = await withLease({ generation: 3, finalizers: ['x'] });
    const resourceVersion = version(created);
    const updated = await registry.putLease('a', {
      metadata: { name: 'a', finalizers: ['x'], resourceVersion, generation: 7, creationTimestamp: '2001-01-01T00:00:00Z' },
    });
    expect(decoded(updated).metadata).toMatchObject({ generation: 3, creationTimestamp: decoded(created).metadata.creationTimestamp });
    const marking = { name: 'a', resourceVersion: version(updated), deletionTimestamp: '2001-01-01T00:00:00Z' };
    const status = await refusal(registry.putLease('a', { metadata: marking }));
    expect(status.message).toBe(
      'Lease.coordination.k8s.io "a" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    );
    expect(status.details?.causes).toHaveLength(1);
  });

  it('of the stored content writes nothing, not even later, and causes no event', async () => {
    const { registry, created } = await withLease({ labels: { a: 'b' } });
    const watcher = new WatchRecorder();
    await registry.objects.watch({ resource: 'leases.coordination.k8s.io' }, {}, watcher.receive);
    registry.nowMs += 60_000;
    const body = { metadata: { name: 'a', labels: { a: 'b' }, resourceVersion: version(created) }, spec: { holderIdentity: 'one' } };
    expect(await registry.putLease('a', body)).toEqual(created);
    expect(await registry.putLease('a', { ...body, metadata: { ...body.metadata, annotations: {}, finalizers: [] } })).toEqual(created);
    await settle();
    expect(watcher.events).toEqual([]);
  });

  it('of the same content by another manager changes nothing either', async () => {
    const { registry, created } = await withLease();
    const body = { metadata: { name: 'a', resourceVersion: version(created) }, spec: { holderIdentity: 'one' } };
    expect(await registry.putLease('a', body, { ...WRITE, fieldManager: 'other' })).toEqual(created);
  });

  it('keeps the time of unchanged fields', async () => {
    const { registry, created } = await withLease();
    registry.nowMs += 60_000;
    const updated = await registry.putLease(
      'a',
      { metadata: { name: 'a', resourceVersion: version(created) }, spec: { holderIdentity: 'one', leaseTransitions: 1 } },
      { ...WRITE, fieldManager: 'other' },
    );
    expect(decoded(updated).metadata.managedFields?.map(({ manager, time }) => [manager, time])).toEqual([
      ['tester', '2026-01-02T03:04:05Z'],
      ['other', '2026-01-02T03:05:05Z'],
    ]);
  });

  it('as a dry run returns the result with the current version', async () => {
    const { registry, created } = await withLease();
    const body = { metadata: { name: 'a', resourceVersion: version(created) }, spec: { holderIdentity: 'dry' } };
    const result = await registry.putLease('a', body, DRY_RUN);
    expect(decoded(result)).toMatchObject({ spec: { holderIdentity: 'dry' }, metadata: { resourceVersion: version(created) } });
    expect(await registry.getLease('a')).toEqual(decoded(created));
  });

  it('in a namespace that is gone changes what is left there', async () => {
    const { registry, created } = await withLease();
    const namespace = await registry.memory.get({ resource: 'namespaces', namespace: '', name: 'ns' }, { kind: 'latest' });
    await registry.memory.delete(namespace.object!);
    const updated = await registry.putLease('a', { metadata: { name: 'a', resourceVersion: version(created), labels: { a: 'b' } } });
    expect(decoded(updated).metadata.labels).toEqual({ a: 'b' });
    const status = await refusal(registry.leases.update(registry.context, leaseTarget('b'), put({ metadata: { name: 'b' } }), WRITE));
    expect(status).toMatchObject({ code: 404, message: 'namespaces "ns" not found' });
  });
});

describe('a PUT to a missing name', () => {
  it('creates the object, with any version in the body', async () => {
    const registry = await fixture();
    const body = { metadata: { name: 'a', resourceVersion: '5' } };
    const result = await registry.leases.update(registry.context, leaseTarget('a'), put(body), WRITE);
    expect(result.created).toBe(true);
    expect(await registry.getLease('a')).toEqual(decoded(result.object));
    const other = await registry.leases.update(registry.context, leaseTarget('b'), put({ metadata: { name: 'b' } }), DRY_RUN);
    expect(other).toMatchObject({ created: true, object: { revision: 0 } });
    expect(await refusal(registry.getLease('b'))).toMatchObject({ code: 404 });
  });

  it('creates no object that is being deleted, whatever the body says of what only the server sets', async () => {
    const registry = await fixture();
    const sent = { creationTimestamp: '2001-01-01T00:00:00Z', deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
    const metadata = { name: 'a', selfLink: '/x', finalizers: ['x'], ...sent };
    const { object } = await registry.leases.update(registry.context, leaseTarget('a'), put({ metadata }), WRITE);
    expect(object.terminating).toBe(false);
    const stored = decoded(object).metadata;
    expect(stored).toMatchObject({ finalizers: ['x'], creationTimestamp: '2026-01-02T03:04:05Z' });
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink']) expect(stored).not.toHaveProperty(field);
    const refused = registry.leases.update(registry.context, leaseTarget('b'), { ...put({ metadata: { name: 'b' } }), uid: 'u' }, WRITE);
    expect(await refusal(refused)).toMatchObject({ code: 409 });
  });

  it('is refused if its version is malformed or its name is invalid', async () => {
    const { registry } = await withLease();
    const malformed = await refusal(registry.putLease('b', { metadata: { name: 'b', resourceVersion: 'x' } }));
    expect(malformed).toMatchObject({ code: 400, message: 'strconv.ParseUint: parsing "x": invalid syntax' });
    const unnamable = await refusal(registry.putLease('a%b', { metadata: { name: 'a%b' } }));
    expect(unnamable).toMatchObject({ code: 400, message: `Name parameter invalid: "a%b": may not contain '%'` });
    expect(await refusal(registry.getLease('a%b'))).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('checks the permission to create once the object is valid', async () => {
    const registry = await fixture();
    const asked: string[] = [];
    const update = (source: UpdateSource) => {
      const authorizeCreate = () => Promise.resolve(void asked.push('create'));
      return registry.leases.update(registry.context, leaseTarget('a'), { ...source, authorizeCreate }, WRITE);
    };
    const bad = put({ metadata: { name: 'a' }, spec: { leaseDurationSeconds: -1 } } as KubeObject);
    expect(await refusal(update(bad))).toMatchObject({ code: 422 });
    expect(asked).toEqual([]);
    await update(put({ metadata: { name: 'a' } }));
    await update(patch((live) => ({ ...live, spec: { holderIdentity: 'x' } })));
    expect(asked).toEqual(['create']);
  });

  it('is refused for patches, and if the resource does not allow it', async () => {
    const registry = await fixture();
    const source = put({ metadata: { name: 'other' } });
    expect(await refusal(registry.namespaces.update(registry.context, namespaceTarget('other'), source, WRITE))).toMatchObject({
      code: 404,
      message: 'namespaces "other" not found',
    });
    const change = patch((live) => live);
    expect(await refusal(registry.leases.update(registry.context, leaseTarget('a'), change, WRITE))).toMatchObject({ code: 404 });
  });
});

describe('an object that is being deleted', () => {
  async function terminating() {
    const { registry } = await withLease({ finalizers: ['example.com/hold'] });
    await registry.deleteLease('a');
    return { registry, marked: await registry.getLease('a') };
  }

  it('may be changed, but must not get new finalizers', async () => {
    const { registry, marked } = await terminating();
    const metadata = { name: 'a', resourceVersion: marked.metadata.resourceVersion, finalizers: ['example.com/hold', 'b', 'a'] };
    const status = await refusal(registry.putLease('a', { metadata }));
    expect(status.message).toBe(
      'Lease.coordination.k8s.io "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a", "b"}',
    );
    const updated = await registry.putLease('a', {
      metadata: { ...metadata, finalizers: ['example.com/hold'] },
      spec: { holderIdentity: 'x' },
    });
    expect(decoded(updated).metadata).toMatchObject({
      deletionTimestamp: marked.metadata.deletionTimestamp,
      deletionGracePeriodSeconds: 0,
    });
    expect(updated.terminating).toBe(true);
  });

  it('keeps its deletion time, although a write with another one counts once as a change', async () => {
    const { registry, marked } = await terminating();
    const write = (resourceVersion: string | undefined) =>
      registry.putLease('a', { ...marked, metadata: { ...marked.metadata, resourceVersion, deletionTimestamp: '2001-01-01T00:00:00Z' } });
    const changed = await write(marked.metadata.resourceVersion);
    expect(changed.revision).toBeGreaterThan(Number(marked.metadata.resourceVersion));
    expect(decoded(changed).metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
    registry.nowMs += 5000;
    expect(await write(version(changed))).toEqual(changed);
  });

  it('is removed with its last finalizer; the response has the new content and the old version, the event has the previous content', async () => {
    const { registry, marked } = await terminating();
    const watcher = new WatchRecorder();
    await registry.objects.watch({ resource: 'leases.coordination.k8s.io' }, {}, watcher.receive);
    const { resourceVersion } = marked.metadata;
    const result = await registry.putLease('a', { metadata: { name: 'a', resourceVersion }, spec: { holderIdentity: 'last' } });
    expect(decoded(result)).toMatchObject({ metadata: { resourceVersion }, spec: { holderIdentity: 'last' } });
    expect(decoded(result).metadata.finalizers).toBeUndefined();
    expect(await refusal(registry.getLease('a'))).toMatchObject({ code: 404 });
    await watcher.untilEvent('DELETED', 'a');
    expect(decoded(watcher.events[0]!.object).spec).toEqual({ holderIdentity: 'one' });
    expect(watcher.events[0]!.revision).toBeGreaterThan(Number(resourceVersion));
  });

  it('stays if the last finalizer is removed by a dry run', async () => {
    const { registry, marked } = await terminating();
    const { resourceVersion } = marked.metadata;
    await registry.putLease('a', { metadata: { name: 'a', resourceVersion } }, DRY_RUN);
    expect(await registry.getLease('a')).toEqual(marked);
  });
});

describe('concurrent updates', () => {
  const key = { resource: 'leases.coordination.k8s.io', namespace: 'ns', name: 'a' };

  it('read only the cache while it is current', async () => {
    const { registry, cache } = await lagging();
    const created = await registry.createLease({ metadata: { name: 'a' } });
    cache.reads = [];
    await registry.putLease('a', { metadata: { name: 'a', resourceVersion: version(created) }, spec: { holderIdentity: 'x' } });
    expect(cache.reads).toEqual(['suggestion']);
  });

  it('use the newest state when the cache lags', async () => {
    const { registry, cache } = await lagging();
    await cache.freeze(key);
    const created = await registry.createLease({ metadata: { name: 'a' } });
    const second = await registry.putLease('a', {
      metadata: { name: 'a', resourceVersion: version(created) },
      spec: { holderIdentity: 'x' },
    });
    await cache.freeze(key);
    const third = await registry.putLease('a', {
      metadata: { name: 'a', resourceVersion: version(second) },
      spec: { holderIdentity: 'y' },
    });
    const fourth = await registry.putLease('a', {
      metadata: { name: 'a', resourceVersion: version(third) },
      spec: { holderIdentity: 'z' },
    });
    expect(decoded(fourth).spec).toEqual({ holderIdentity: 'z' });
    const old = { metadata: { name: 'a', resourceVersion: version(second) }, spec: { holderIdentity: 'lost' } };
    expect(await refusal(registry.putLease('a', old))).toMatchObject({ code: 409, reason: 'Conflict' });
    const unchanged = { metadata: { name: 'a', resourceVersion: version(second) }, spec: { holderIdentity: 'x' } };
    expect(await refusal(registry.putLease('a', unchanged))).toMatchObject({ code: 409 });
  });

  it('as dry runs show the result for the newest state', async () => {
    const { registry, cache } = await lagging();
    const created = await registry.createLease({ metadata: { name: 'a', labels: { v: '1' } } });
    await cache.freeze(key);
    await registry.putLease('a', { metadata: { name: 'a', resourceVersion: version(created), labels: { v: '2' } } });
    const change = patch((live) => ({ ...live, spec: { holderIdentity: 'x' } }));
    const { object } = await registry.leases.update(registry.context, leaseTarget('a'), change, DRY_RUN);
    expect(decoded(object)).toMatchObject({ metadata: { labels: { v: '2' } }, spec: { holderIdentity: 'x' } });
  });

  it('detect that another client has created the object', async () => {
    const registry = await fixture();
    const source = put({ metadata: { name: 'a' } });
    const puts = [1, 2].map(() => registry.leases.update(registry.context, leaseTarget('a'), source, WRITE));
    const [first, second] = await Promise.allSettled(puts);
    expect(first).toMatchObject({ status: 'fulfilled', value: { created: true } });
    expect(second).toMatchObject({ status: 'rejected', reason: { status: { code: 422, details: { kind: 'leases' } } } });
  });

  it('have one winner per version', async () => {
    const registry = await fixture();
    const created = await registry.createLease({ metadata: { name: 'a' } });
    const bodies = Array.from({ length: 20 }, (_, at) => ({
      metadata: { name: 'a', resourceVersion: version(created) },
      spec: { holderIdentity: `c${at}` },
    }));
    const results = await Promise.allSettled(bodies.map((body) => registry.putLease('a', body)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are retried on the new state if they are patches', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a' }, spec: { leaseTransitions: 0 } });
    const increment = patch((live) => {
      const { leaseTransitions = 0 } = (live as { spec?: { leaseTransitions?: number } }).spec ?? {};
      return { ...live, spec: { leaseTransitions: leaseTransitions + 1 } };
    });
    await Promise.all(Array.from({ length: 10 }, () => registry.leases.update(registry.context, leaseTarget('a'), increment, WRITE)));
    expect((await registry.getLease('a')).spec).toEqual({ leaseTransitions: 10 });
  });

  it('end when the client is gone', async () => {
    const { registry } = await withLease();
    const context = { ...registry.context, signal: AbortSignal.abort() };
    const source = put({ metadata: { name: 'b' } });
    expect(await refusal(registry.leases.update(context, leaseTarget('b'), source, WRITE))).toMatchObject({ code: 504 });
  });
});

describe('an update that makes its object too large to store', () => {
  const MIB = 1024 * 1024;

  it('is stored without managedFields if that is enough', async () => {
    const { registry, created } = await withLease();
    const finalizers = Array.from({ length: 9000 }, (_, at) => `${'f'.repeat(60)}.${'g'.repeat(40)}/${at}`);
    const stored = await registry.putLease('a', { metadata: { name: 'a', resourceVersion: version(created), finalizers } });
    expect(stored.data.length).toBeLessThan(1.5 * MIB);
    expect(decoded(stored).metadata.finalizers).toHaveLength(9000);
    expect(decoded(stored).metadata.managedFields).toBeUndefined();
  });

  it('is stored without managedFields, too, if those of several managers have too many values', async () => {
    const { registry, created } = await withLease();
    const finalizers = Array.from({ length: 4000 }, (_, at) => `a/${at}`);
    const managedFields = ['a', 'b'].map((manager) => ({
      manager,
      operation: 'Update',
      apiVersion: 'coordination.k8s.io/v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:finalizers': Object.fromEntries(finalizers.map((each) => [`v:"${each}"`, {}])) } },
    }));
    const metadata = { name: 'a', resourceVersion: version(created), finalizers, managedFields };
    const stored = await registry.putLease('a', { metadata });
    expect(decoded(stored).metadata.finalizers).toHaveLength(4000);
    expect(decoded(stored).metadata.managedFields).toBeUndefined();
  });

  it('is refused otherwise, and changes nothing', async () => {
    const { registry, created } = await withLease();
    const body = { metadata: { name: 'a', resourceVersion: version(created) }, spec: { holderIdentity: 'x'.repeat(2 * MIB) } };
    expect(await refusal(registry.putLease('a', body))).toMatchObject({ code: 413 });
    expect(await registry.getLease('a')).toEqual(decoded(created));
  });
});
