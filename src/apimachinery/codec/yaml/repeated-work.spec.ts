import { jest } from '@jest/globals';
import { yamlToJson } from './yaml-to-json.js';

const converted = (text: string) => yamlToJson(Buffer.from(text)).json;

/** What is converted, and how often a function was called meanwhile. */
function counting(spy: { readonly mock: { readonly calls: readonly unknown[] }; mockRestore(): void }, text: string) {
  try {
    return { json: converted(text), calls: spy.mock.calls.length };
  } finally {
    spy.mockRestore();
  }
}

test('a decimal number of more digits than 64 bits have is not computed', () => {
  const { json, calls } = counting(jest.spyOn(globalThis, 'BigInt'), `a: ${'1'.repeat(1000)}\nb: ${'1_'.repeat(1000)}\n`);
  expect(json).toBe(`{"a":"${'1'.repeat(1000)}","b":"${'1_'.repeat(1000)}"}`);
  expect(calls).toBe(0);
  expect(converted('[18446744073709551615, 18446744073709551616, -9223372036854775808, 0x000000000000000000000000000ff]')).toBe(
    '[18446744073709551615,18446744073709552000,-9223372036854775808,255]',
  );
});

test('what precedes a long key is looked at once, however many aliases lead to the key', () => {
  const key = 'k'.repeat(1100);
  const text = `a: &a {? ${' '.repeat(1000)}"${key}" : 1}\nb: [${Array<string>(100).fill('{<<: *a}').join(',')}]`;
  const { json, calls } = counting(jest.spyOn(String.prototype, 'trimEnd'), text);
  expect(json).toContain(`"b":[{"${key}":1},`);
  expect(calls).toBeLessThan(10);
});
