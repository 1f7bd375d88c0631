import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeJsonPatch } from './json-patch-document.js';
import { applyJsonPatch, patchText } from './json-patch.js';
import { applyMergePatch, decodeMergePatch } from './merge-patch.js';

describe('JSON patches', () => {
  const decode = (patch: unknown, strict = true) => decodeJsonPatch(typeof patch === 'string' ? patch : JSON.stringify(patch), strict);
  const apply = (document: unknown, patch: unknown): unknown =>
    JSON.parse(applyJsonPatch(JSON.stringify(document), decode(patch).operations));
  const REFUSED = expect.objectContaining({
    code: 422,
    message: 'the server rejected our request due to an error in our request',
    status: expect.objectContaining({ details: {} }),
  });
  const refused = (document: unknown, patch: unknown) => expect(() => apply(document, patch)).toThrow(REFUSED);

  it('add, remove, replace, move, copy and test', () => {
    expect(apply({ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }])).toEqual({ a: [1, 2, 3] });
    expect(apply({ a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }])).toEqual({ a: [1, 2] });
    expect(apply({ a: 1, b: 2 }, [{ op: 'remove', path: '/a' }])).toEqual({ b: 2 });
    expect(apply({ a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: { c: 2 } }])).toEqual({ a: { b: { c: 2 } } });
    expect(apply({ a: 1 }, [{ op: 'move', from: '/a', path: '/b' }])).toEqual({ b: 1 });
    expect(
      apply({ a: { x: [1] } }, [
        { op: 'copy', from: '/a/x', path: '/b' },
        { op: 'add', path: '/b/0', value: 0 },
      ]),
    ).toEqual({
      a: { x: [1] },
      b: [0, 1],
    });
    expect(apply({ a: { b: 1, c: [true] } }, [{ op: 'test', path: '/a', value: { c: [true], b: 1 } }])).toBeDefined();
    expect(apply({ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }])).toEqual({ b: 2 });
  });

  it('are applied completely or not at all', () => {
    refused({ a: 1 }, [
      { op: 'remove', path: '/a' },
      { op: 'remove', path: '/a' },
    ]);
    refused({ a: 1 }, [{ op: 'test', path: '/a', value: 2 }]);
    refused({ a: 1 }, [{ op: 'add', path: '/b/c', value: 2 }]);
    refused({ a: 'text' }, [{ op: 'add', path: '/a/b', value: 2 }]);
    refused({ a: 1 }, [{ op: 'move', from: '/b', path: '/c' }]);
    refused({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/c' }]);
    refused({ a: 1 }, [{ op: 'ADD', path: '/b', value: 1 }]);
    refused({ a: 1 }, [{ op: 'add', path: '', value: {} }]);
    refused({ a: 1 }, [{ op: 'replace', path: '', value: null }]);
    refused({}, [null]);
    for (const index of ['2', '-', '1.5', 'x', '-2', '99999999999999999999']) {
      refused({ a: [1] }, [{ op: 'replace', path: `/a/${index}`, value: 0 }]);
    }
  });

  it('are as lenient as upstream', () => {
    expect(apply({ a: {} }, [{ op: 'replace', path: '/a/b', value: 1 }])).toEqual({ a: { b: 1 } });
    expect(apply({}, [{ op: 'copy', from: '/b', path: '/c' }])).toEqual({ c: null });
    expect(apply({}, [{ op: 'add', path: '/b' }])).toEqual({ b: null });
    expect(apply({ a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }])).toEqual({ a: [1] });
    expect(apply({ a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }])).toEqual({ a: [1, 2, 3] });
    expect(apply({ a: [1, 2] }, [{ op: 'remove', path: '/a/+01' }])).toEqual({ a: [1] });
    expect(apply({}, [{ op: 'add', path: 'x/b', value: 1 }])).toEqual({ b: 1 });
    expect(
      apply({ a: 1 }, [
        { op: 'test', path: '/b' },
        { op: 'test', path: '/b', value: null },
      ]),
    ).toEqual({ a: 1 });
    expect(apply({ a: 1 }, 'null')).toEqual({ a: 1 });
  });

  it('compare and keep numbers as they are written', () => {
    refused({ a: 15 }, '[{"op":"test","path":"/a","value":15.0}]');
    expect(applyJsonPatch('{}', decode('[{"op":"add","path":"/a","value":12345678901234567890.0}]').operations)).toBe(
      '{"a":12345678901234567890.0}',
    );
  });

  it('unescape keys', () => {
    expect(
      apply({ 'a/b': 1, 'c~d': 2 }, [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ]),
    ).toEqual({});
    expect(
      apply({}, [
        { op: 'add', path: '/~01', value: 1 },
        { op: 'add', path: '/', value: 2 },
      ]),
    ).toEqual({ '~1': 1, '': 2 });
    expect(apply({}, [{ op: 'add', path: '/__proto__', value: 1 }])).toHaveProperty(['__proto__'], 1);
  });

  it('are not modified when they are applied', () => {
    const { operations } = decode([
      { op: 'add', path: '/a', value: { b: [] } },
      { op: 'add', path: '/a/b/-', value: 1 },
    ]);
    expect(applyJsonPatch('{}', operations)).toBe(applyJsonPatch('{}', operations));
  });

  it('copy no more than 3 MiB', () => {
    const copies = (count: number) => Array.from({ length: count }, () => ({ op: 'copy', from: '/a', path: '/b' }));
    const document = { a: 'x'.repeat(1024 * 1024 - 2) };
    expect(apply(document, copies(3))).toHaveProperty('b');
    refused(document, copies(4));
    refused({ a: '<'.repeat(1024 * 1024) }, copies(1));
  });

  it('may have at most 10,000 operations', () => {
    const operations = (count: number) => Array.from({ length: count }, () => ({ op: 'bogus' }));
    expect(decode(operations(10_000)).operations).toHaveLength(10_000);
    expect(() => decode(operations(10_001))).toThrow(
      expect.objectContaining({
        code: 413,
        message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      }),
    );
  });

  it('are refused with the messages of either decoder', () => {
    const refusal = (body: string, message: string, strict = true) =>
      expect(() => decode(body, strict)).toThrow(expect.objectContaining({ message, code: 400 }));
    refusal('{}', 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp');
    refusal('[1]', 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp');
    refusal(
      '[{"op":5,"path":6}]',
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    );
    refusal('{}', 'json: cannot unmarshal object into Go value of type jsonpatch.Patch', false);
    refusal('[1]', 'json: cannot unmarshal number into Go value of type jsonpatch.Operation', false);
    expect(decode('[{"op":5}]', false).operations).toEqual([{}]);
  });

  it('report unknown and duplicate members', () => {
    const body = '[{"op":"add","op":"add","path":"/a","Path":1,"value":{"b":[{"c":1,"c":2}]}}]';
    expect(decode(body).findings).toEqual([
      'json patch duplicate field "[0].op"',
      'json patch unknown field "[0].Path"',
      'json patch duplicate field "[0].value.b[0].c"',
    ]);
  });

  it('terminate for paths of any depth', () => {
    refused({}, [{ op: 'test', path: '/a'.repeat(100_000), value: 1 }]);
    const doubling = Array.from({ length: 15 }, () => ({ op: 'copy', from: '/a', path: `/a${'/a'.repeat(1)}` }));
    expect(apply({ a: {} }, doubling)).toBeDefined();
  });

  it('can turn any document into any other by replacing members', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, object, (from, to) => {
        const escape = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
        const patch = [
          ...Object.keys(from).map((key) => ({ op: 'remove', path: `/${escape(key)}` })),
          ...Object.entries(to).map(([key, value]) => ({ op: 'add', path: `/${escape(key)}`, value })),
          ...Object.entries(to).map(([key, value]) => ({ op: 'test', path: `/${escape(key)}`, value })),
        ];
        expect(apply(from, patch)).toEqual(JSON.parse(JSON.stringify(to)));
      }),
    );
  });
});

{
  const REFUSED = expect.objectContaining({ code: 400, message: 'invalid JSON patch' }) as unknown as Error;
  const refused = (body: string) => expect(() => patchText(Buffer.from(body), 1000)).toThrow(REFUSED);

  describe('the body of a patch', () => {
    it('is any JSON', () => {
      for (const body of ['{"a":1}', ' []', 'null', '"x"']) expect(patchText(Buffer.from(body), 1000)).toBe(body);
    });

    it('is refused in the same words whatever is wrong with it', () => {
      for (const body of ['', '{', '{} {}', '[] x', 'a: b', '\ufeff{}', '[01]']) refused(body);
    });

    it('is refused if it is nested deeper than the stack allows', () => {
      expect(patchText(Buffer.from(`${'['.repeat(1000)}${']'.repeat(1000)}`), 10_000)).toHaveLength(2000);
      refused(`[{"op":"add","path":"/a","value":${'['.repeat(5000)}${']'.repeat(5000)}}]`);
      refused('['.repeat(1_000_000));
    });

    it('is refused if it has more values than allowed, brackets and commas in strings not counted', () => {
      const items = (count: number) => Buffer.from(`[${Array<number>(count).fill(1).join(',')}]`);
      expect(patchText(items(1000), 1000)).toHaveLength(2001);
      expect(() => patchText(items(1002), 1000)).toThrow('the body has more than 1000 values');
      const text = JSON.stringify(['[,"\\'.repeat(5000), '\\']);
      expect(patchText(Buffer.from(text), 1000)).toBe(text);
    });
  });

  describe('a patch that is short on the wire', () => {
    const document = '{"metadata":{"name":"a"}}';
    const TOO_LONG = 'the patch is too long for its depth';
    const SPACE = ' '.repeat(1_000_000);
    const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}${SPACE}1${close.repeat(levels)}`;

    it('is refused if merging reads the same text at too many levels', () => {
      for (const value of [nested(900, '{"a":', '}'), nested(900, '[', ']')]) {
        expect(() => applyMergePatch(document, `{"x":${value}}`)).toThrow(TOO_LONG);
      }
      expect(applyMergePatch(document, `{"x":${nested(5, '{"a":', '}')}}`)).toContain('{"a":{"a":1}}');
    });

    it('is refused if its operations copy too much text, or read it at too many levels', () => {
      const add = (value: string) => `{"op":"add","path":"/x","value":${value}}`;
      const patches = [
        `[${add(`{"a":${SPACE}1}`)}${',{"op":"copy","from":"/x","path":"/y"}'.repeat(9000)}]`,
        `[${add(nested(900, '{"a":', '}'))},{"op":"test","path":"/x${'/a'.repeat(900)}","value":1}]`,
      ];
      for (const patch of patches) expect(() => applyJsonPatch(document, decodeJsonPatch(patch, true).operations)).toThrow(TOO_LONG);
    });

    it('gets findings that show the beginning of a long path', () => {
      const { findings } = decodeMergePatch(`{"${'k'.repeat(1_000_000)}":{${Array<string>(1000).fill('"a":1').join(',')}}}`, true);
      expect(findings).toHaveLength(1);
      expect(findings[0]).toMatch(/^duplicate field "k{4096}…/);
    });
  });
}
