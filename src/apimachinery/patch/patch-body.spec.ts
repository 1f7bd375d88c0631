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
