import { describe, expect, it } from '@jest/globals';
import { leaseV1Schema } from '../../apis/coordination/lease/lease.schema.js';
import type { KubeObject, ManagedFieldsEntry } from '../meta/object-meta.schema.js';
import { FieldManager } from './field-manager.js';

const V1 = 'coordination.k8s.io/v1';
const T0 = '2026-01-01T00:00:00Z';
const T1 = '2026-01-01T00:00:01Z';
const T2 = '2026-01-01T00:00:02Z';
const manager = new FieldManager({ kind: 'Lease', versions: { [V1]: leaseV1Schema } });

interface Lease extends KubeObject {
  spec: Record<string, unknown>;
}

function lease(spec: Record<string, unknown>, metadata: Partial<Lease['metadata']> = {}): Lease {
  return { kind: 'Lease', apiVersion: V1, metadata: { name: 'x', namespace: 'ns', ...metadata }, spec };
}

const by = (name: string, now = T1) => ({ manager: name, apiVersion: V1, now });
const stored = (object: KubeObject): Lease => {
  const copy = JSON.parse(JSON.stringify(object)) as Lease;
  copy.metadata.uid ??= 'u';
  return copy;
};
const create = (name: string, spec: Record<string, unknown>, metadata = {}) =>
  stored(manager.update(undefined, lease(spec, metadata), by(name, T0)));
const put = (live: Lease, name: string, spec: Record<string, unknown>, metadata = {}, now = T1) =>
  stored(manager.update(live, lease(spec, { uid: 'u', ...metadata }), by(name, now)));
const entry = (name: string, fieldsV1: Record<string, unknown>, time?: string, operation = 'Update'): ManagedFieldsEntry => ({
  manager: name,
  operation,
  apiVersion: V1,
  ...(time === undefined ? {} : { time }),
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const spec = (...names: string[]) => ({ 'f:spec': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) });

describe('FieldManager.update', () => {
  it('makes the creator the owner of all fields, with a marker for new containers', () => {
    const made = create('curl', { holderIdentity: 'a' }, { labels: { a: '1' }, finalizers: ['example.com/x'] });
    expect(made.metadata.managedFields).toEqual([
      entry(
        'curl',
        {
          'f:metadata': {
            'f:finalizers': { '.': {}, 'v:"example.com/x"': {} },
            'f:labels': { '.': {}, 'f:a': {} },
          },
          'f:spec': { 'f:holderIdentity': {} },
        },
        T0,
      ),
    ]);
  });

  it('does not track an object without fields of its own', () => {
    expect(create('curl', {}).metadata).not.toHaveProperty('managedFields');
  });

  it('names a writer without a name unknown', () => {
    expect(create('', { holderIdentity: 'a' }).metadata.managedFields?.[0]?.manager).toBe('unknown');
  });

  it("moves changed fields to the writer, and updates only the writer's time", () => {
    const live = create('a', { holderIdentity: 'a', leaseDurationSeconds: 15 });
    expect(put(live, 'b', { holderIdentity: 'b', leaseDurationSeconds: 15 }).metadata.managedFields).toEqual([
      entry('a', spec('leaseDurationSeconds'), T0),
      entry('b', spec('holderIdentity'), T1),
    ]);
  });

  it('keeps the entries at a renewal and updates the time of the writer', () => {
    const live = create('a', { holderIdentity: 'a', renewTime: '2026-01-01T00:00:00.000000Z' });
    const next = put(live, 'a', { holderIdentity: 'a', renewTime: '2026-01-01T00:00:01.000000Z' }, live.metadata);
    expect(next.metadata.managedFields).toEqual([entry('a', spec('holderIdentity', 'renewTime'), T1)]);
  });

  it("returns the live object's list itself if no ownership changes", () => {
    const live = create('a', { holderIdentity: 'a' });
    const next = manager.update(live, lease({ holderIdentity: 'a' }, { uid: 'u' }), by('b'));
    expect(next.metadata.managedFields).toBe(live.metadata.managedFields);
  });

  it('drops a manager that owns nothing any more, and removed fields from all managers', () => {
    const live = put(create('a', { holderIdentity: 'a' }), 'b', { holderIdentity: 'a', leaseTransitions: 1 });
    expect(put(live, 'c', { leaseTransitions: 1 }).metadata.managedFields).toEqual([entry('b', spec('leaseTransitions'), T1)]);
  });

  it.each([[[]], [[{}]]])('stops tracking after a reset to %j', (managedFields) => {
    const live = put(create('a', { holderIdentity: 'a' }), 'a', { holderIdentity: 'b' }, { managedFields });
    expect(live.metadata.managedFields).toBeUndefined();
    expect(put(live, 'a', { holderIdentity: 'c' }).metadata.managedFields).toBeUndefined();
  });

  it.each([[[]], [[{}]], [[entry('renamed', spec('holderIdentity'))]]])('ignores %j in a write to a subresource', (managedFields) => {
    const live = create('a', { holderIdentity: 'a' });
    const next = lease({ holderIdentity: 'a' }, { uid: 'u', managedFields });
    const written = manager.update(live, next, { ...by('b'), subresource: 'status' });
    expect(written.metadata.managedFields).toEqual(live.metadata.managedFields);
  });

  it('accepts the entries that a client sends', () => {
    const live = create('a', { holderIdentity: 'a', leaseDurationSeconds: 15 });
    const sent = [entry('renamed', spec('holderIdentity', 'leaseDurationSeconds'), T2, 'Apply')];
    expect(put(live, 'b', { holderIdentity: 'b', leaseDurationSeconds: 15 }, { managedFields: sent }).metadata.managedFields).toEqual([
      entry('renamed', spec('leaseDurationSeconds'), T2, 'Apply'),
      entry('b', spec('holderIdentity'), T1),
    ]);
  });

  it.each([
    [{ ...entry('z', spec('holderIdentity')), operation: 'Bogus' }],
    [{ ...entry('z', spec('holderIdentity')), fieldsType: 'FieldsV2' }],
    [{ ...entry('z', spec('holderIdentity')), fieldsType: undefined }],
    [{ ...entry('z', spec('holderIdentity')), apiVersion: undefined }],
    [entry('z', { bad: {} })],
    [entry('z', 'text' as never)],
  ])('ignores entries that cannot be decoded: %j', (bad) => {
    const live = create('a', { holderIdentity: 'a' });
    const next = put(live, 'a', { holderIdentity: 'a' }, { managedFields: [bad] });
    expect(next.metadata.managedFields).toEqual(live.metadata.managedFields);
  });

  it('drops managers of unknown versions', () => {
    const live = create('a', { holderIdentity: 'a' });
    const sent = [{ ...entry('z', spec('holderIdentity'), T0), apiVersion: 'coordination.k8s.io/v9' }];
    expect(put(live, 'a', { holderIdentity: 'a' }, { managedFields: sent }).metadata.managedFields).toBeUndefined();
  });

  it('converts ownership of a path inside an atomic value into ownership of that value', () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
    const inside = { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': { '.': {}, 'f:name': {} } } } };
    const live = create('a', { holderIdentity: 'a' }, { ownerReferences: [owner] });
    const next = put(live, 'b', { holderIdentity: 'a' }, { ownerReferences: [owner], managedFields: [entry('a', inside, T0)] });
    expect(next.metadata.managedFields).toEqual([entry('a', { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } } }, T0)]);
  });

  it('merges the oldest of more than ten updaters into ancient-changes', () => {
    let live = create('m0', { holderIdentity: 'a' });
    const labels: Record<string, string> = {};
    for (let at = 1; at <= 11; at++) {
      labels[`l${at}`] = 'x';
      live = put(live, `m${at}`, { holderIdentity: 'a' }, { labels }, `2026-01-01T00:00:${String(at).padStart(2, '0')}Z`);
    }
    expect(live.metadata.managedFields).toHaveLength(10);
    expect(live.metadata.managedFields?.[0]).toEqual(
      entry(
        'ancient-changes',
        { 'f:metadata': { 'f:labels': { '.': {}, 'f:l1': {}, 'f:l2': {} } }, 'f:spec': { 'f:holderIdentity': {} } },
        '2026-01-01T00:00:02Z',
      ),
    );
  });
});
