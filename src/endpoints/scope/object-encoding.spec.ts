import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StoredObject } from '../../storage/object-store.js';
import { ItemRunCache } from './object-encoding.js';

let revision = 0;

function state(name: string, uid: string, data = ''): StoredObject {
  revision++;
  return { key: { resource: 'leases', namespace: '', name }, uid, revision, terminating: false, data: data || `${name}@${revision}` };
}

/** Runs of text, and how many states have been encoded for them. */
function textRuns() {
  let encoded = 0;
  const runs = new ItemRunCache((states) => {
    encoded += states.length;
    return { items: states.length, bytes: Buffer.from(states.map(({ data }) => data).join()) };
  });
  const list = (objects: readonly StoredObject[]) => {
    encoded = 0;
    const of = [...runs.of(objects)];
    expect(of.map(({ bytes }) => bytes.toString()).join()).toBe(objects.map(({ data }) => data).join());
    expect(of.reduce((sum, { items }) => sum + items, 0)).toBe(objects.length);
    return { encoded, runs: of };
  };
  return list;
}

/** Names a0, a1 ... with a run of four beginning at every fourth. */
const inFours = (count: number) => Array.from({ length: count }, (_, at) => state(`a${at}`, at % 4 === 0 ? 'x0' : 'x1'));

describe('ItemRunCache', () => {
  it('encodes nothing again if nothing has changed', () => {
    const list = textRuns();
    const objects = inFours(20);
    expect(list(objects)).toMatchObject({ encoded: 20, runs: { length: 5 } });
    expect(list(objects).encoded).toBe(0);
    expect(list([]).runs).toEqual([]);
  });

  it.each([
    ['is replaced', (objects: StoredObject[]) => objects.splice(6, 1, state('a6', 'x1')), 4],
    ['at the start of a run is replaced', (objects: StoredObject[]) => objects.splice(4, 1, state('a4', 'x0')), 4],
    ['is added', (objects: StoredObject[]) => objects.splice(6, 0, state('a51', 'x1')), 5],
    ['is removed', (objects: StoredObject[]) => objects.splice(6, 1), 3],
    ['at the start of a run is removed', (objects: StoredObject[]) => objects.splice(4, 1), 3],
  ])('encodes only the run again when an object %s', (_change, change, encoded) => {
    const list = textRuns();
    const objects = inFours(20);
    list(objects);
    change(objects);
    expect(list(objects).encoded).toBe(encoded);
    expect(list(objects).encoded).toBe(0);
  });

  it('shares runs with pages, wherever they begin and end', () => {
    const list = textRuns();
    const objects = inFours(40);
    list(objects);
    expect(list(objects.slice(6, 18)).encoded).toBe(4);
    expect(list(objects.slice(6, 18)).encoded).toBe(0);
    expect(list(objects).encoded).toBeLessThanOrEqual(2);
    expect(list(objects).encoded).toBe(0);
  });

  it('does not combine large objects in a run', () => {
    const list = textRuns();
    const large = Array.from({ length: 3 }, (_, at) => state(`b${at}`, 'x1', 'y'.repeat(100_000)));
    expect(list(large).runs).toHaveLength(3);
    const middling = Array.from({ length: 6 }, (_, at) => state(`c${at}`, 'x1', 'y'.repeat(30_000)));
    expect(list(middling).runs).toHaveLength(3);
  });

  it('is correct for any sequence of lists', () => {
    const list = textRuns();
    const states = Array.from({ length: 12 }, (_, at) => state(`d${at}`, at % 3 === 0 ? 'x0' : 'x1'));
    fc.assert(fc.property(fc.subarray(states), (some) => void list(some)));
  });
});
