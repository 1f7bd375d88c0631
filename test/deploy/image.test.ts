import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

test("the image's build context has every file that a configuration in it extends", () => {
  const included = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, file = '']) => file);
  const extended = globSync('packages/*/tsconfig*.json', { cwd: root }).flatMap((file) => {
    const { extends: base } = parse(read(file)) as { readonly extends?: string };
    return base === undefined ? [] : [path.join(path.dirname(file), base)];
  });
  expect(extended).toContain('tsconfig.json');
  expect(extended.filter((file) => !included.some((entry) => file === entry || file.startsWith(`${entry}/`)))).toEqual([]);
});
