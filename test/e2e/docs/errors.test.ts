import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/errors.md'), 'utf8');
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.spec.ts'))
  .map((file) => readFileSync(path.join(root, file), 'utf8'));

/** The names in the first column of the tables below a heading. */
function rows(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const table = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return table.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, heading === 'Reasons' ? 3 : 2)
      .map((cell) => cell.trim().replaceAll('`', ''))
      .join(' '),
  );
}

/** All matches of a pattern in the sources. */
function found(pattern: RegExp): string[] {
  const matches = sources.flatMap((text) => [...text.matchAll(pattern)].map(([, ...groups]) => groups.join(' ')));
  return [...new Set(matches)].sort();
}

/** Whether the sources call this function. */
function calls(name: string): boolean {
  const call = new RegExp(`(?<!function )\\b${name}\\(`);
  return sources.some((text) => call.test(text));
}

test('the page lists the code and reason of every Status that the server builds, and no others', () => {
  expect(rows('Reasons').sort()).toEqual(found(/new ApiError\(\{\s*code: (\d+),\s*reason: '(\w+)'/g));
});

test('every function that builds a Status is called', () => {
  const builders = found(/export function (\w+)\([^)]*\): ApiError \{/g);
  expect(builders).toContain('tooManyRequests');
  expect(builders.filter((name) => !calls(name))).toEqual([]);
});

test('the page lists every cause of an invalid object, and no others', () => {
  expect(rows('Causes of an invalid object').sort()).toEqual(found(/\| '(FieldValue\w+)'/g));
});

test('the page lists every StorageError code, and storage produces each of them', () => {
  const [, union = ''] =
    /type StorageErrorCode =([^]*?);$/m.exec(sources.find((text) => text.includes('type StorageErrorCode =')) ?? '') ?? [];
  const codes = [...union.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  expect(rows('Storage errors').sort()).toEqual([...codes].sort());
  const thrown = found(/new StorageError\(\s*'(\w+)'/g);
  expect(codes.filter((code) => !thrown.includes(code))).toEqual([]);
});
