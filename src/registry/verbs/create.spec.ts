import { describe, expect, it } from '@jest/globals';
import { interleaved } from '../../../test/support/interleaved-store.js';
import { lagging } from '../../../test/support/lagging-cache.js';
import { DRY_RUN, RegistryFixture, WRITE, decoded, namespaceTarget, refusal } from '../../../test/support/registry-fixture.js';
import { StorageError } from '../../storage/storage-errors.js';

const fixture = () => new RegistryFixture().withNamespace();

describe('creating an object', () => {
  it('sets the fields that only the server may set, and keeps the rest', async () => {
    const registry = await fixture();
    const metadata = {
      name: 'a',
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      selfLink: '/x',
      generation: 9,
      finalizers: ['example.com/hold'],
    };
    const stored = await registry.createLease({ metadata, spec: { holderIdentity: 'me' } });
    expect(decoded(stored)).toEqual({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: {
        name: 'a',
        namespace: 'ns',
        uid: stored.uid,
        resourceVersion: String(stored.revision),
        generation: 9,
        creationTimestamp: '2026-01-02T03:04:05Z',
        finalizers: ['example.com/hold'],
        managedFields: [
          {
            manager: 'tester',
            operation: 'Update',
            apiVersion: 'coordination.k8s.io/v1',
            time: '2026-01-02T03:04:05Z',
            fieldsType: 'FieldsV1',
            fieldsV1: {
              'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/hold"': {} } },
              'f:spec': { 'f:holderIdentity': {} },
            },
          },
        ],
      },
      spec: { holderIdentity: 'me' },
    });
    expect(stored.data).not.toContain('resourceVersion');
    expect(stored.terminating).toBe(false);
  });

  it('does not modify the given object', async () => {
    const registry = await fixture();
    const body = Object.freeze({ metadata: Object.freeze({ name: 'a', uid: 'mine' }) });
    await registry.createLease(body);
    expect(body).toEqual({ metadata: { name: 'a', uid: 'mine' } });
  });

  it("uses the client's name as field manager if the request has none", async () => {
    const registry = await fixture();
    const stored = await registry.createLease({ metadata: { name: 'a' }, spec: { holderIdentity: 'x' } }, { ...WRITE, fieldManager: '' });
    expect(decoded(stored).metadata.managedFields?.[0]?.manager).toBe('tester');
  });

  it('refuses a namespace other than that of the URL', async () => {
    const registry = await fixture();
    expect(await refusal(registry.createLease({ metadata: { name: 'a', namespace: 'other' } }))).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  it('checks the namespace before the object', async () => {
    const registry = await fixture();
    expect(await refusal(registry.createLease({ metadata: { name: 'BAD' } }, WRITE, 'nope'))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'namespaces "nope" not found',
      reason: 'NotFound',
      details: { name: 'nope', kind: 'namespaces' },
      code: 404,
    });
  });

  it.each([
    ['the name of the object', { name: 'a' }, 'a'],
    ['its generateName', { generateName: 'g-' }, 'g-'],
    ['Unknown', {}, 'Unknown'],
  ])('is refused in a terminating namespace, with %s in the message', async (_what, metadata, shown) => {
    const registry = await fixture();
    await registry.namespaces.delete(registry.context, namespaceTarget('ns'), { dryRun: false });
    expect(await refusal(registry.createLease({ metadata }))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `leases.coordination.k8s.io "${shown}" is forbidden: unable to create new content in namespace ns because it is being terminated`,
      details: {
        name: shown,
        group: 'coordination.k8s.io',
        kind: 'leases',
        causes: [{ reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' }],
      },
    });
  });

  it('is refused in a terminating or deleted namespace even if the cache lags', async () => {
    const { registry, cache } = await lagging();
    const namespace = { resource: 'namespaces', namespace: '', name: 'ns' };
    await cache.freeze(namespace);
    await registry.namespaces.delete(registry.context, namespaceTarget('ns'), { dryRun: false });
    expect(await refusal(registry.createLease({ metadata: { name: 'a' } }))).toMatchObject({ code: 403, reason: 'Forbidden' });
    const { object } = await registry.memory.get(namespace, { kind: 'latest' });
    await registry.memory.delete(object!);
    expect(await refusal(registry.createLease({ metadata: { name: 'a' } }))).toMatchObject({ code: 404, details: { kind: 'namespaces' } });
  });

  it("reports the common rules that an object violates, or only the resource's own if both apply", async () => {
    const registry = await fixture();
    expect(await refusal(registry.createLease({ metadata: {} }))).toMatchObject({
      code: 422,
      message: 'Lease.coordination.k8s.io "" is invalid: metadata.name: Required value: name or generateName is required',
      details: { group: 'coordination.k8s.io', kind: 'Lease' },
    });
    const status = await refusal(registry.createLease({ metadata: { name: 'a/b' }, spec: { leaseDurationSeconds: -1 } }));
    expect(status.details?.causes?.map((cause) => cause.field)).toEqual(['metadata.name', 'spec.leaseDurationSeconds']);
  });

  it('refuses a resourceVersion except 0 and invalid ones', async () => {
    const registry = await fixture();
    const message = 'resourceVersion should not be set on objects to be created';
    expect(await refusal(registry.createLease({ metadata: { name: 'a', resourceVersion: '1' } }))).toMatchObject({ code: 400, message });
    for (const [at, resourceVersion] of ['0', '00', 'abc', '-1', ''].entries()) {
      await registry.createLease({ metadata: { name: `a${at}`, resourceVersion } });
    }
  });

  it('drops duplicate owner references, with a warning', async () => {
    const registry = await fixture();
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
    const ownerReferences = [owner, { ...owner }, { ...owner, name: 'm' }];
    const stored = await registry.createLease({ metadata: { name: 'a', ownerReferences } });
    expect(decoded(stored).metadata.ownerReferences).toEqual([owner, { ...owner, name: 'm' }]);
    expect(registry.warnings).toEqual([
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u',
    ]);
  });

  it('is refused if the name is taken', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a', finalizers: ['x'] } });
    const taken = 'leases.coordination.k8s.io "a" already exists';
    const details = { name: 'a', group: 'coordination.k8s.io', kind: 'leases' };
    expect(await refusal(registry.createLease({ metadata: { name: 'a' } }))).toMatchObject({ code: 409, message: taken, details });
    await registry.deleteLease('a');
    expect((await refusal(registry.createLease({ metadata: { name: 'a' } }))).message).toBe(`object is being deleted: ${taken}`);
  });
});

describe('generated names', () => {
  it('are derived from generateName, which is kept', async () => {
    const registry = await fixture();
    registry.names.push('x1');
    expect(decoded(await registry.createLease({ metadata: { generateName: 'g-' } })).metadata).toMatchObject({
      name: 'g-x1',
      generateName: 'g-',
    });
  });

  it('are tried up to eight times', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'g-t' } });
    registry.names.push('t', 't', 't', 't', 't', 't', 't', 'free');
    expect((await registry.createLease({ metadata: { generateName: 'g-' } })).key.name).toBe('g-free');
    registry.names.push('t', 't', 't', 't', 't', 't', 't', 't', 'free');
    expect(await refusal(registry.createLease({ metadata: { generateName: 'g-' } }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'leases.coordination.k8s.io "g-t" already exists, the server was not able to generate a unique name for the object',
      details: { retryAfterSeconds: 1 },
    });
  });

  it('are not used if the object has a name, although the error for a taken name is the same', async () => {
    const registry = await fixture();
    const metadata = { name: 'both', generateName: 'g-' };
    expect((await registry.createLease({ metadata })).key.name).toBe('both');
    expect((await refusal(registry.createLease({ metadata }))).message).toContain('was not able to generate a unique name');
  });
});

describe('a dry run of a creation', () => {
  it('returns the object without a version and stores nothing', async () => {
    const registry = await fixture();
    const stored = await registry.createLease({ metadata: { name: 'a', resourceVersion: '7' } }, DRY_RUN);
    expect(stored.revision).toBe(0);
    expect(decoded(stored).metadata).toMatchObject({ name: 'a', creationTimestamp: '2026-01-02T03:04:05Z' });
    expect(await refusal(registry.getLease('a'))).toMatchObject({ code: 404 });
  });

  it('still reports a taken name and an invalid object', async () => {
    const registry = await fixture();
    await registry.createLease({ metadata: { name: 'a' } });
    expect(await refusal(registry.createLease({ metadata: { name: 'a' } }, DRY_RUN))).toMatchObject({ code: 409 });
    expect(await refusal(registry.createLease({ metadata: { name: 'B' } }, DRY_RUN))).toMatchObject({ code: 422 });
  });
});

describe('an object that is too large to store', () => {
  const MIB = 1024 * 1024;

  it('is stored without managedFields if that is enough', async () => {
    const registry = await fixture();
    const finalizers = Array.from({ length: 9000 }, (_, at) => `${'f'.repeat(60)}.${'g'.repeat(40)}/${at}`);
    const stored = await registry.createLease({ metadata: { name: 'a', finalizers } });
    expect(stored.data.length).toBeLessThan(1.5 * MIB);
    expect(decoded(stored).metadata.managedFields).toBeUndefined();
  });

  it('is refused otherwise', async () => {
    const registry = await fixture();
    const spec = { holderIdentity: 'x'.repeat(2 * MIB) };
    expect(await refusal(registry.createLease({ metadata: { name: 'a' }, spec }))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 1572864',
    });
  });
});

describe('an object whose name is taken', () => {
  it('is refused with 409 even if storage cannot return the existing object', async () => {
    const { registry, replicas } = await interleaved();
    await registry.createLease({ metadata: { name: 'a' } });
    replicas.afterNext('get', 'leases.coordination.k8s.io', () => Promise.reject(new StorageError('Unavailable', 'the store is closed')));
    expect(await refusal(registry.createLease({ metadata: { name: 'a' } }))).toMatchObject({ code: 409, reason: 'AlreadyExists' });
  });
});
