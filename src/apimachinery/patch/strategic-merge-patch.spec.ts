import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { objectMetaSchema } from '../meta/object-meta.schema.js';
import { type GoMap, parseGoValue, toPlain } from './go-value.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

const NAMES: readonly string[] = ['a', 'b', 'c', 'd', 'e'];

const go = (value: unknown) => parseGoValue(JSON.stringify(value)) as GoMap;
const apply = (original: unknown, patch: unknown): unknown => toPlain(applyStrategicMergePatch(go(original), go(patch), objectMetaSchema));
const refused = (original: unknown, patch: unknown, message: string) =>
  expect(() => apply(original, patch)).toThrow(expect.objectContaining({ message, code: 400 }));

describe('strategic merge patches', () => {
  it('merge maps, and remove keys with null', () => {
    expect(apply({ labels: { a: '1', b: '2' } }, { labels: { b: null, c: '3' }, name: null })).toEqual({ labels: { a: '1', c: '3' } });
    expect(apply({}, { labels: { a: null, b: '1' } })).toEqual({ labels: { b: '1' } });
  });

  it('replace or delete maps with a directive', () => {
    expect(apply({ labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } })).toEqual({ labels: { b: '2' } });
    expect(apply({ labels: { a: '1' } }, { labels: { $patch: 'delete' } })).toEqual({ labels: {} });
    expect(apply({}, { labels: { $patch: 'delete' } })).toEqual({});
    refused({ labels: { a: '1' } }, { labels: { $patch: 'merge', b: '2' } }, 'unknown patch type: merge in map: map[$patch:merge b:2]');
    refused({ labels: { a: '1' } }, { labels: { $patch: 5 } }, 'unknown patch type: %!s(int64=5) in map: map[$patch:5]');
  });

  it('keep only the keys in $retainKeys', () => {
    const object = { labels: { a: '1', b: '2' } };
    expect(apply(object, { labels: { $retainKeys: ['a', 'c'], c: '3' } })).toEqual({ labels: { a: '1', c: '3' } });
    refused(object, { labels: { $retainKeys: ['a'], c: '3' } }, 'invalid patch format of retainKeys');
    refused(object, { labels: { $retainKeys: 'a' } }, 'invalid patch format of retainKeys');
  });

  it('merge lists of primitives, new items first', () => {
    expect(apply({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'b', 'c'] })).toEqual({ finalizers: ['c', 'a', 'b'] });
    expect(apply({ finalizers: ['a', 'b'] }, { finalizers: ['c'] })).toEqual({ finalizers: ['c', 'a', 'b'] });
    expect(apply({ finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] })).toEqual({ finalizers: ['b'] });
    expect(apply({ finalizers: ['a'] }, { '$deleteFromPrimitiveList/finalizers': 'a' })).toEqual({ finalizers: ['a'] });
    refused(
      { finalizers: ['a'] },
      { finalizers: [{ $patch: 'replace' }] },
      'list element types are not identical: [[a] [map[$patch:replace]]]',
    );
    refused({}, { $deleteFromPrimitiveList: ['a'] }, 'invalid patch format of primitive list');
  });

  it('merge lists of objects by key', () => {
    const original = { ownerReferences: [{ uid: '1', name: 'x' }, { uid: '2' }] };
    expect(apply(original, { ownerReferences: [{ uid: '1', kind: 'K', name: null }] })).toEqual({
      ownerReferences: [{ uid: '1', kind: 'K' }, { uid: '2' }],
    });
    expect(apply(original, { ownerReferences: [{ uid: '3' }, { uid: '2', $patch: 'delete' }] })).toEqual({
      ownerReferences: [{ uid: '3' }, { uid: '1', name: 'x' }],
    });
    expect(apply(original, { ownerReferences: [{ $patch: 'replace' }, { uid: '4' }] })).toEqual({ ownerReferences: [{ uid: '4' }] });
    refused(original, { ownerReferences: [{ name: 'y' }] }, 'map: map[name:y] does not contain declared merge key: uid');
    refused(original, { ownerReferences: [{ $patch: 'x', uid: '1' }] }, 'unknown patch type: x in map: map[$patch:x uid:1]');
  });

  it('replace other lists', () => {
    expect(apply({ managedFields: [{ manager: 'a' }] }, { managedFields: [{}] })).toEqual({ managedFields: [{}] });
  });

  it('order lists by $setElementOrder', () => {
    const patch = { '$setElementOrder/finalizers': ['d', 'a', 'c'], finalizers: ['d'] };
    expect(apply({ finalizers: ['c', 'a'] }, patch)).toEqual({ finalizers: ['d', 'a', 'c'] });
    expect(apply({ finalizers: ['s', 'c', 'a'] }, { '$setElementOrder/finalizers': ['a', 'c'] })).toEqual({ finalizers: ['s', 'a', 'c'] });
    refused(
      { finalizers: ['a'] },
      { '$setElementOrder/finalizers': ['a'], finalizers: ['e'] },
      "The order in patch list:\n[e]\n doesn't match $setElementOrder list:\n[a]\n",
    );
    refused({}, { '$setElementOrder/nothing': ['a'] }, 'unable to find api field in struct ObjectMeta for the json field "nothing"');
    refused({}, { $setElementOrder: [] }, 'invalid patch format of setElementOrder list');
    refused({}, { '$setElementOrder/finalizers': 'a' }, 'expected a []interface {}, but received a string');
    const texts = { managedFields: [], '$setElementOrder/managedFields': ['a'] };
    refused({ managedFields: [{ manager: 'a' }] }, texts, 'expected a map[string]interface {}, but received a string');
    const none = { '$setElementOrder/managedFields': [] };
    refused({ managedFields: [{ manager: 'a' }] }, none, 'map: map[manager:a] does not contain declared merge key: ');
  });

  it("place items that no order names like Go's sort with an inconsistent comparison", () => {
    const finalizers = { '$setElementOrder/finalizers': [], finalizers: ['c', 'b'] };
    expect(apply({}, finalizers)).toEqual({ finalizers: ['b', 'c'] });
    expect(apply({ finalizers: ['a', 'b'] }, finalizers)).toEqual({ finalizers: ['a', 'b', 'c'] });
    const owners = ['1', '2', '3'].map((uid) => ({ uid }));
    expect(apply({}, { '$setElementOrder/ownerReferences': [], ownerReferences: owners })).toEqual({
      ownerReferences: owners.toReversed(),
    });
    const many = Array.from({ length: 21 }, (_, index) => `f${index}`);
    expect(apply({}, { '$setElementOrder/finalizers': [], finalizers: many })).toEqual({ finalizers: many });
  });

  it('take time that is not quadratic in the length of a list', () => {
    const many = (prefix: string) => Array.from({ length: 20_000 }, (_, index) => ({ uid: `${prefix}${index}` }));
    const { ownerReferences } = apply({ ownerReferences: many('a') }, { ownerReferences: many('b') }) as { ownerReferences: unknown[] };
    expect(ownerReferences).toHaveLength(40_000);
  });

  it('have no further effect when they are applied again', () => {
    const names = fc.uniqueArray(fc.constantFrom(...NAMES));
    const metadata = fc.record({
      finalizers: names,
      labels: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.string()),
      ownerReferences: names.map((uids) => uids.map((uid) => ({ uid }))),
    });
    fc.assert(
      fc.property(metadata, metadata, (original, patch) => {
        const once = apply(original, patch);
        expect(apply(once, patch)).toEqual(once);
      }),
    );
  });

  it('bring a complete list into the requested order', () => {
    const names = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 });
    fc.assert(
      fc.property(names, fc.shuffledSubarray([...NAMES], { minLength: NAMES.length }), (finalizers, order) => {
        const ordered = apply({ finalizers }, { '$setElementOrder/finalizers': order });
        expect(ordered).toEqual({ finalizers: order.filter((name) => finalizers.includes(name)) });
      }),
    );
  });
});
