import { applyJsonPatch } from './json-patch.js';
import { decodeJsonPatch } from './json-patch-document.js';
import { applyMergePatch, decodeMergePatch } from './merge-patch.js';
import { patchText } from './patch-body.js';

const REFUSED = expect.objectContaining({ code: 400, message: 'invalid JSON patch' }) as Error;
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
