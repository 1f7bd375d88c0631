import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FieldSet, parseFieldsV1, serializeFieldSet } from './field-set.js';
import { type FieldPath, fieldElement, keyElement, sortPathElements, valueElement } from './path-element.js';

const element = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'constructor', '').map(fieldElement),
  fc.constantFrom<unknown>('x', 'y', '<&>', 1, 2, true, null).map(valueElement),
  fc.constantFrom('u1', 'u2').map((uid) => keyElement(['uid'], { uid })),
  fc.nat(3).map((index) => `i:${index}`),
);
const path: fc.Arbitrary<FieldPath> = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 12 }).map((paths) => FieldSet.of(paths));
const texts = (fields: FieldSet) => [...fields.paths()].map((steps) => steps.join(' / '));

describe('FieldSet', () => {
  it('contains exactly the inserted paths', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), path, (paths, other) => {
        const fields = FieldSet.of(paths);
        const names = new Set(paths.map((steps) => steps.join(' / ')));
        expect(new Set(texts(fields))).toEqual(names);
        expect(fields.has(other)).toBe(names.has(other.join(' / ')));
      }),
    );
  });

  it('without some path elements lacks those paths and everything below them', () => {
    const fields = FieldSet.of([['f:spec'], ['f:spec', 'f:a'], ['f:status', 'f:b'], ['f:metadata', 'f:spec']]);
    expect(texts(fields.without(['f:spec', 'f:none']))).toEqual(['f:metadata / f:spec', 'f:status / f:b']);
    expect(fields.without([])).toBe(fields);
  });

  it('never contains the path of the whole object', () => {
    expect(FieldSet.of([[]]).isEmpty).toBe(true);
    expect(new FieldSet().has([])).toBe(false);
  });

  it('has union, intersection and difference path by path', () => {
    fc.assert(
      fc.property(set, set, path, (a, b, steps) => {
        expect(a.union(b).has(steps)).toBe(a.has(steps) || b.has(steps));
        expect(a.intersection(b).has(steps)).toBe(a.has(steps) && b.has(steps));
        expect(a.difference(b).has(steps)).toBe(a.has(steps) && !b.has(steps));
      }),
    );
  });

  it('obeys the laws of union, intersection and difference', () => {
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(
          a
            .union(b)
            .union(c)
            .equals(a.union(b.union(c))),
        ).toBe(true);
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
        expect(a.intersection(b.union(c)).equals(a.intersection(b).union(a.intersection(c)))).toBe(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty).toBe(true);
        expect(a.difference(a).isEmpty).toBe(true);
      }),
    );
  });

  it('does not modify the operands', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const before = [texts(a), texts(b)];
        a.union(b);
        a.intersection(b);
        a.difference(b);
        expect([texts(a), texts(b)]).toEqual(before);
      }),
    );
  });
});

describe('FieldsV1', () => {
  it('is parsed back to the same set', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const text = JSON.stringify(serializeFieldSet(fields));
        const parsed = parseFieldsV1(JSON.parse(text));
        expect(parsed.equals(fields)).toBe(true);
        expect(JSON.stringify(serializeFieldSet(parsed))).toBe(text);
      }),
    );
  });

  it('is the same text for equal sets, however they were built', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 8 }), (paths) => {
        const text = (list: FieldPath[]) => JSON.stringify(serializeFieldSet(FieldSet.of(list)));
        expect(text([...paths].reverse())).toBe(text(paths));
      }),
    );
  });

  it('sorts fields, keyed items, set items and indexes by their content', () => {
    const sorted = [
      'f:a',
      'f:b',
      'f:\u{ffff}',
      'f:\u{10000}',
      'k:{"uid":"a"}',
      'k:{"uid":"b"}',
      'v:2',
      'v:10',
      'v:"a"',
      'v:true',
      'i:2',
      'i:10',
    ];
    expect(sortPathElements([...sorted].reverse())).toEqual(sorted);
  });

  it('marks an element that is owned along with its children', () => {
    const fields = FieldSet.of([['f:labels', 'f:a'], ['f:labels']]);
    expect(JSON.stringify(serializeFieldSet(fields))).toBe('{"f:labels":{".":{},"f:a":{}}}');
  });

  it('brings other notations into canonical form', () => {
    const fields = parseFieldsV1({ 'k:{ "b": 1.0, "a": "x" }': {}, 'v: "y"': null, 'i:+03': { '.': {} } });
    expect(Object.keys(serializeFieldSet(fields))).toEqual(['k:{"a":"x","b":1}', 'v:"y"', 'i:3']);
  });

  it('drops elements of unknown types', () => {
    expect(texts(parseFieldsV1({ 'z:future': { 'f:a': {} }, 'f:spec': { 'z:future': {} } }))).toEqual(['f:spec']);
  });

  it.each([[{ bad: {} }], [{ f: {} }], [{ 'v:{': {} }], [{ 'k:1': {} }], [{ 'i:x': {} }], [{ 'f:a': 1 }], [{ 'f:a': [] }], ['text'], [[]]])(
    'refuses %j',
    (fields) => expect(() => parseFieldsV1(fields)).toThrow(),
  );

  it('refuses nesting that could exhaust the stack', () => {
    let fields: Record<string, unknown> = {};
    for (let depth = 0; depth < 5000; depth++) fields = { 'f:a': fields };
    expect(() => parseFieldsV1(fields)).toThrow('deeper than');
  });
});
