import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyMergePatch, decodeMergePatch } from './merge-patch.js';

const apply = (document: unknown, patch: unknown): unknown => JSON.parse(applyMergePatch(JSON.stringify(document), JSON.stringify(patch)));

/** A patch that turns `from` into `to`; neither has nulls. */
function difference(from: Record<string, unknown>, to: Record<string, unknown>): Record<string, unknown> {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  return Object.fromEntries([
    ...removed.map((key) => [key, null]),
    ...Object.entries(to).map(([key, value]) => {
      const old = Object.hasOwn(from, key) ? from[key] : undefined;
      return [key, isObject(old) && isObject(value) ? difference(old, value) : value];
    }),
  ]) as Record<string, unknown>;
}

const objects = (nothing: null[]) =>
  fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.constantFrom(true, false, ...nothing),
      fc.array(fc.integer()),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '', '__proto__', 'é'), tie('value')),
  })).object;
const withoutNulls = objects([]);
const withNulls = objects([null]);

describe('JSON merge patches', () => {
  it('follow the examples of RFC 7386', () => {
    const examples: [unknown, unknown, unknown][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
      [{ a: 'text' }, { a: { b: 1, c: null } }, { a: { b: 1 } }],
    ];
    for (const [document, patch, result] of examples) expect(apply(document, patch)).toEqual(result);
  });

  it('keep numbers as they are written', () => {
    expect(applyMergePatch('{"a":1}', '{"b":{"c":30.0,"d":null}}')).toBe('{"a":1,"b":{"c":30.0}}');
  });

  it('change nothing when applied again', () => {
    fc.assert(
      fc.property(withoutNulls, withNulls, (document, patch) => {
        const once = apply(document, patch);
        expect(apply(once, patch)).toEqual(once);
      }),
    );
  });

  it('can turn any document into any other', () => {
    fc.assert(fc.property(withoutNulls, withoutNulls, (from, to) => expect(apply(from, difference(from, to))).toEqual(to)));
  });

  it('keep nulls inside an array only where it replaces an object', () => {
    expect(apply({ a: {} }, { a: [{ b: null }] })).toEqual({ a: [{ b: null }] });
    expect(apply({ a: 1 }, { a: [{ b: null }, null] })).toEqual({ a: [{}, null] });
  });

  it('are refused with the messages of either decoder', () => {
    const refusal = (body: string, message: string, strict = true) =>
      expect(() => decodeMergePatch(body, strict)).toThrow(expect.objectContaining({ message, code: 400 }));
    refusal(' []', 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}');
    refusal('5', 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}');
    refusal('null', 'Invalid JSON Patch');
    for (const body of ['null', '5', '"x"']) refusal(body, 'Invalid JSON Patch', false);
    expect(decodeMergePatch('[]', false).text).toBe('[]');
  });

  it('report duplicate keys', () => {
    expect(decodeMergePatch('{"a":{"b":1,"b":2},"a":[{"c":1,"c":1}]}', true).findings).toEqual([
      'duplicate field "a.b"',
      'duplicate field "a"',
      'duplicate field "a[0].c"',
    ]);
  });
});
