import { describe, expect, it } from '@jest/globals';
import {
  DELETE,
  DRY_RUN,
  RegistryFixture,
  WRITE,
  decoded,
  namespaceTarget,
  patch,
  put,
  refusal,
} from '../../../../test/support/registry-fixture.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { SYSTEM_NAMESPACES, ensureNamespaces } from './cluster-namespaces.js';
import type { Namespace } from './namespace.schema.js';

async function fixture() {
  const registry = new RegistryFixture();
  const { context, namespaces } = registry;
  const create = (body: object, options = WRITE) => namespaces.create(context, namespaceTarget(''), body as KubeObject, options);
  const update = (name: string, body: object) => namespaces.update(context, namespaceTarget(name), put(body as KubeObject), WRITE);
  const remove = (name: string, options = {}) => namespaces.delete(context, namespaceTarget(name), { ...DELETE, ...options });
  const get = async (name: string) => decoded<Namespace>(await namespaces.get(namespaceTarget(name), { resourceVersion: '' }));
  await create({ metadata: { name: 'ns' } });
  return { registry, create, update, remove, get };
}

describe('a new namespace', () => {
  it("is active, has the finalizer, and has the label, which belongs to its creator's fields", async () => {
    const { create } = await fixture();
    const body = {
      metadata: { name: 'b', namespace: 'x', labels: { team: 'a' } },
      spec: { finalizers: ['a/b'] },
      status: { phase: 'Terminating' },
    };
    const object = decoded<Namespace>(await create(body, DRY_RUN));
    expect(object).toMatchObject({
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'b', labels: { 'kubernetes.io/metadata.name': 'b', team: 'a' } },
      spec: { finalizers: ['a/b', 'kubernetes'] },
      status: { phase: 'Active' },
    });
    expect(object.metadata.namespace).toBeUndefined();
    expect(object.metadata.managedFields?.[0]?.fieldsV1).toMatchObject({
      'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {}, 'f:team': {} } },
    });
  });

  it('with a generated name has the label as well', async () => {
    const { registry, create } = await fixture();
    registry.names.push('x');
    expect(decoded(await create({ metadata: { generateName: 'g-' } })).metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'g-x' });
  });

  it.each([
    ['Bad.Name', ['metadata.name']],
    ['n'.repeat(64), ['metadata.name', 'metadata.labels']],
    ['a.b', ['metadata.name']],
  ])('must have a DNS label as its name: %s is refused', async (name, fields) => {
    const { create } = await fixture();
    const status = await refusal(create({ metadata: { name } }));
    expect(status.message).toContain(`Namespace "${name}" is invalid: `);
    expect(status.details).toMatchObject({ name, kind: 'Namespace' });
    expect(status.details?.causes?.map(({ field }) => field)).toEqual(fields);
  });

  it('accepts only its own kinds of finalizers', async () => {
    const { create } = await fixture();
    const status = await refusal(create({ metadata: { name: 'b', finalizers: ['bare'] }, spec: { finalizers: ['x y', 'kubernetes'] } }));
    expect(status.details?.causes?.map(({ field, message }) => `${field}: ${message?.slice(-70)}`)).toEqual([
      expect.stringMatching(/^metadata\.finalizers\[0\]: .*name is neither a standard finalizer name nor is it fully qualified$/),
      expect.stringMatching(/^spec\.finalizers: /),
      expect.stringMatching(/^spec\.finalizers: .*name is neither a standard finalizer name nor is it fully qualified$/),
    ]);
  });
});

describe('an update of a namespace', () => {
  it('needs no resourceVersion and changes neither spec, status nor the label', async () => {
    const { update, get } = await fixture();
    await update('ns', { metadata: { name: 'ns', labels: { team: 'b' } }, spec: { finalizers: [] }, status: { phase: 'Terminating' } });
    expect(await get('ns')).toMatchObject({
      metadata: { labels: { team: 'b', 'kubernetes.io/metadata.name': 'ns' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('with an outdated resourceVersion is still refused', async () => {
    const { update } = await fixture();
    expect(await refusal(update('ns', { metadata: { name: 'ns', resourceVersion: '7' } }))).toMatchObject({ code: 409 });
  });
});

describe('deleting a namespace', () => {
  it.each(['default', 'kube-system', 'kube-public'])('is forbidden for %s', async (name) => {
    const { registry, remove } = await fixture();
    await ensureNamespaces(registry.namespaces);
    expect(await refusal(remove(name))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      details: { name, kind: 'namespaces' },
    });
    expect(await refusal(remove(name, { dryRun: true }))).toMatchObject({ code: 403 });
  });

  it('marks it, and another deletion leaves it marked', async () => {
    const { registry, remove, get } = await fixture();
    expect(await remove('ns')).toMatchObject({ accepted: false, object: { terminating: true } });
    const marked = await get('ns');
    expect(marked).toMatchObject({ metadata: { deletionTimestamp: '2026-01-02T03:04:05Z' }, status: { phase: 'Terminating' } });
    expect(marked.metadata.deletionGracePeriodSeconds).toBeUndefined();
    registry.nowMs += 5000;
    await remove('ns', { propagationPolicy: 'Orphan' });
    expect(await get('ns')).toEqual(marked);
  });

  it('checks preconditions with its own messages', async () => {
    const { remove, get } = await fixture();
    const { uid, resourceVersion } = (await get('ns')).metadata;
    const on = 'Operation cannot be fulfilled on namespaces "ns": Precondition failed: ';
    expect((await refusal(remove('ns', { uid: 'x' }))).message).toBe(`${on}UID in precondition: x, UID in object meta: ${uid}`);
    expect((await refusal(remove('ns', { resourceVersion: '1' }))).message).toBe(
      `${on}ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
    );
  });

  it('completes when finalize removes its last finalizer', async () => {
    const { registry, remove, get } = await fixture();
    const finalize = (name: string, body: object) =>
      registry.finalize.update(registry.context, namespaceTarget(name), put(body as KubeObject), WRITE);
    await finalize('ns', { metadata: { name: 'ns' }, spec: { finalizers: ['example.com/a'] } });
    expect((await get('ns')).spec).toEqual({ finalizers: ['example.com/a'] });
    await remove('ns');
    await finalize('ns', { metadata: { name: 'ns' }, spec: {} });
    expect(await refusal(get('ns'))).toMatchObject({ code: 404 });
    expect(await refusal(finalize('ns', { metadata: { name: 'ns' } }))).toMatchObject({ code: 404 });
  });

  it('first marks it, and a second deletion removes it if it has no finalizers', async () => {
    const { registry, remove, get } = await fixture();
    const body = { metadata: { name: 'ns' } };
    await registry.finalize.update(registry.context, namespaceTarget('ns'), put(body), WRITE);
    expect(await remove('ns')).toMatchObject({ object: { terminating: true } });
    expect(await get('ns')).toMatchObject({ status: { phase: 'Terminating' } });
    expect(await remove('ns')).toMatchObject({ object: { key: { name: 'ns' }, terminating: true }, accepted: false });
    expect(await refusal(get('ns'))).toMatchObject({ code: 404 });
  });
});

describe('the status of a namespace', () => {
  it('changes through its own subresource, and its phase follows from the deletion', async () => {
    const { registry, get } = await fixture();
    const status = (change: (live: Namespace) => Namespace) =>
      registry.status.update(registry.context, namespaceTarget('ns'), patch(change), WRITE);
    const conditions = [{ type: 'A', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }];
    await status((live) => ({ ...live, spec: {}, status: { ...live.status, conditions } }));
    expect(await get('ns')).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active', conditions } });
    expect((await refusal(status((live) => ({ ...live, status: { phase: 'Terminating' } })))).message).toBe(
      'Namespace "ns" is invalid: status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    );
  });
});

describe('the managed fields of a namespace', () => {
  const conditions = [{ type: 'A', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' }];
  const owned = (namespace: Namespace) => (namespace.metadata.managedFields ?? []).map((entry) => [entry.subresource, entry.fieldsV1]);

  it('do not include fields that a write does not reach', async () => {
    const { create, update, get } = await fixture();
    const made = decoded<Namespace>(await create({ metadata: { name: 'b' }, status: { phase: 'Terminating', conditions } }));
    expect(made.metadata.managedFields?.[0]?.fieldsV1).not.toHaveProperty('f:status');
    await update('ns', { metadata: { name: 'ns', labels: { a: 'b' } }, status: { conditions } });
    expect(owned(await get('ns'))).toEqual([[undefined, { 'f:metadata': { 'f:labels': expect.objectContaining({ 'f:a': {} }) } }]]);
  });

  it('are separate for each subresource', async () => {
    const { registry, get } = await fixture();
    const { context, status, finalize } = registry;
    await status.update(
      context,
      namespaceTarget('ns'),
      put({ metadata: { name: 'ns' }, spec: { finalizers: ['a/b'] }, status: { conditions } } as KubeObject),
      WRITE,
    );
    await finalize.update(
      context,
      namespaceTarget('ns'),
      put({ metadata: { name: 'ns' }, spec: { finalizers: ['a/b'] } } as KubeObject),
      WRITE,
    );
    const entries = owned(await get('ns')).filter(([subresource]) => subresource !== undefined);
    expect(Object.fromEntries(entries as [string, object][])).toEqual({
      status: { 'f:status': { 'f:conditions': expect.anything() } },
      finalize: { 'f:spec': { 'f:finalizers': {} } },
    });
  });
});

describe('every update of a namespace', () => {
  it("accepts only the core group's kinds of finalizers", async () => {
    const { registry } = await fixture();
    const { context, status, finalize } = registry;
    const body = put({ metadata: { name: 'ns', finalizers: ['bare'] } });
    for (const store of [status, finalize]) {
      expect((await refusal(store.update(context, namespaceTarget('ns'), body, WRITE))).message).toContain('metadata.finalizers[0]');
    }
  });

  it('without a phase keeps the current one', async () => {
    const { registry, get } = await fixture();
    await registry.status.update(registry.context, namespaceTarget('ns'), put({ metadata: { name: 'ns' } }), WRITE);
    expect((await get('ns')).status).toEqual({ phase: 'Active' });
  });
});

describe('the system namespaces', () => {
  it('are created if missing, by any number of servers', async () => {
    const { registry, get } = await fixture();
    await Promise.all([ensureNamespaces(registry.namespaces), ensureNamespaces(registry.namespaces)]);
    const before = await get('kube-node-lease');
    await ensureNamespaces(registry.namespaces);
    expect(await get('kube-node-lease')).toEqual(before);
    for (const name of SYSTEM_NAMESPACES) expect((await get(name)).status?.phase).toBe('Active');
  });

  it('are only read by a start that knows them', async () => {
    const { registry } = await fixture();
    const { namespaces } = registry;
    const written: string[] = [];
    const seen = {
      definition: namespaces.definition,
      get: namespaces.get.bind(namespaces),
      create: (...args: Parameters<typeof namespaces.create>) => (written.push(args[2].metadata.name ?? ''), namespaces.create(...args)),
    } as typeof namespaces;
    await ensureNamespaces(seen);
    expect(written.toSorted()).toEqual([...SYSTEM_NAMESPACES].sort());
    await ensureNamespaces(seen);
    expect(written.length).toBe(SYSTEM_NAMESPACES.length);
  });
});
