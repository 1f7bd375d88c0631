import { expect, test } from '@jest/globals';
import { transformSync } from '@swc/core';
import { originalPosition } from './source-positions.js';

const SOURCE = `interface Unused {
  readonly many: string;
}

export function outer(value: number): number {
  // a comment
  return inner(value) + 1;
}

const inner = (value: number): number => {
  if (value > 1) throw new Error('too much');
  return value;
};
`;

test.each([
  ['on lines of their own', false],
  ['on one line', true],
])('positions in a compiled file, %s, are found in its source', (_, minify) => {
  const { code, map } = transformSync(SOURCE, {
    filename: 'some/source.ts',
    sourceMaps: true,
    minify,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  });
  const { sources, mappings } = JSON.parse(map ?? '{}') as { sources: string[]; mappings: string };
  for (const [text, expected] of [
    ['inner(value)', '7:10'],
    ['new Error', '11:24'],
  ] as const) {
    const before = code.slice(0, code.indexOf(text)).split('\n');
    const position = originalPosition({ sources, mappings }, before.length - 1, before.at(-1)?.length ?? 0);
    expect(position).toBe(`${sources[0]}:${expected}`);
  }
});

test('without mappings there is no position', () => {
  expect(originalPosition({ sources: [], mappings: '' }, 3, 4)).toBeUndefined();
  expect(originalPosition({ sources: ['a.ts'], mappings: ';;;A' }, 9, 1)).toBeUndefined();
});
