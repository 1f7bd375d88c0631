import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { leaseV1Schema } from '../../apis/coordination/lease/lease.schema.js';
import type { KubeObject } from '../meta/object-meta.schema.js';
import { FieldManager } from './field-manager.js';
import { parseFieldsV1, serializeFieldSet } from './fieldpath/field-set.js';

const apiVersion = 'coordination.k8s.io/v1';
const manager = new FieldManager({ kind: 'Lease', versions: { [apiVersion]: leaseV1Schema } });
const T0 = '2026-01-01T00:00:00Z';
const T1 = '2026-01-01T00:00:01Z';

const texts = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), { minKeys: 1 });
const owner = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('Node'),
  name: fc.constantFrom('n', 'm'),
  uid: fc.constantFrom('u', 'v'),
});
const metadata = fc.record(
  {
    labels: texts,
    annotations: texts,
    finalizers: fc.uniqueArray(fc.constantFrom('f/1', 'f/2', 'f/3'), { minLength: 1 }),
    ownerReferences: fc.uniqueArray(owner, { minLength: 1, selector: ({ uid }) => uid }),
  },
  { requiredKeys: [] },
);
const spec = fc.record(
  {
    holderIdentity: fc.constantFrom('a', 'b', ''),
    leaseDurationSeconds: fc.constantFrom(1, 2),
    leaseTransitions: fc.constantFrom(0, 1),
    renewTime: fc.constantFrom('2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:01.000000Z'),
  },
  { requiredKeys: [] },
);
const object = fc.record({ metadata, spec }).map((parts) => ({
  apiVersion,
  kind: 'Lease',
  metadata: { name: 'x', uid: 'u', ...parts.metadata },
  spec: parts.spec,
}));
const configuration = object.map((body) => ({ ...body, metadata: { ...body.metadata, uid: undefined } }));

const create = (body: KubeObject, name = 'creator') => manager.update(undefined, body, { manager: name, apiVersion, now: T0 });
const apply = (live: KubeObject, body: Record<string, unknown>, name: string) =>
  manager.apply(live, body, { manager: name, apiVersion, now: T1, force: true });
/** The stored content: map keys in order, absent fields absent. */
const content = ({ metadata: { managedFields: _, ...rest }, ...others }: KubeObject): unknown =>
  JSON.parse(JSON.stringify({ ...others, metadata: rest }));

describe('FieldManager', () => {
  it('never changes the content in an update', () => {
    fc.assert(
      fc.property(object, object, (live, next) => {
        const stored = create(live);
        expect(content(manager.update(stored, next, { manager: 'b', apiVersion, now: T1 }))).toEqual(content(next));
      }),
    );
  });

  it('modifies none of its arguments', () => {
    fc.assert(
      fc.property(object, object, configuration, (live, next, body) => {
        const stored = create(live);
        const before = JSON.stringify([stored, next, body]);
        manager.update(stored, next, { manager: 'b', apiVersion, now: T1 });
        apply(stored, body, 'c');
        expect(JSON.stringify([stored, next, body])).toBe(before);
      }),
    );
  });

  it('has the same result when an apply is repeated', () => {
    fc.assert(
      fc.property(object, configuration, (live, body) => {
        const once = apply(create(live), body, 'a');
        expect(apply(once, body, 'a')).toEqual(once);
      }),
    );
  });

  it('keeps every applied value', () => {
    fc.assert(
      fc.property(object, configuration, (live, body) => {
        const { spec: applied } = apply(create(live), body, 'a') as unknown as { spec: unknown };
        expect(applied).toMatchObject(body.spec);
      }),
    );
  });

  it('removes, by an empty apply, everything that only the applier owned', () => {
    fc.assert(
      fc.property(object, configuration, (live, body) => {
        const stored = create({ ...live, metadata: { name: 'x', uid: 'u' } });
        const added = { ...body, spec: without(body.spec, live.spec) };
        const emptied = apply(apply(stored, added, 'a'), { apiVersion, kind: 'Lease', metadata: { name: 'x' } }, 'a');
        expect(content(emptied)).toEqual(content(stored));
        expect(emptied.metadata.managedFields).toEqual(stored.metadata.managedFields);
      }),
    );
  });

  it('writes entries in canonical form, and none without fields', () => {
    fc.assert(
      fc.property(object, object, configuration, (live, next, body) => {
        const updated = manager.update(create(live), next, { manager: 'b', apiVersion, now: T1 });
        for (const { fieldsV1 } of apply(updated, body, 'c').metadata.managedFields ?? []) {
          const set = parseFieldsV1(fieldsV1);
          expect(set.isEmpty).toBe(false);
          expect(JSON.stringify(serializeFieldSet(set))).toBe(JSON.stringify(fieldsV1));
        }
      }),
    );
  });

  it('has the same result for a renewal on the fast path and on the general one', () => {
    fc.assert(
      fc.property(object, object, fc.boolean(), (live, next, sends) => {
        const stored = create(live, 'a');
        const sent = sends ? { ...next, metadata: { ...next.metadata, managedFields: stored.metadata.managedFields } } : next;
        // An entry of an unknown version is dropped in the end, but prevents the fast path.
        const foreign = {
          manager: 'z',
          operation: 'Update',
          apiVersion: 'example.com/v9',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:z': {} },
        };
        const long = { ...next, metadata: { ...next.metadata, managedFields: [...(stored.metadata.managedFields ?? []), foreign] } };
        const write = { manager: 'a', apiVersion, now: T1 };
        if (stored.metadata.managedFields === undefined) return;
        expect(manager.update(stored, sent, write)).toEqual(manager.update(stored, long, write));
      }),
    );
  });
});

function without(fields: Record<string, unknown>, taken: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => taken[name] === undefined));
}
