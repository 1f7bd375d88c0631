import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/errors.md'), 'utf8');
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.spec.ts'))
  .map((file) => readFileSync(path.join(root, file), 'utf8'));

/** The names in the first columns of the table below a heading. */
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

/** Everything that a pattern finds in the sources. */
function found(pattern: RegExp): string[] {
  const matches = sources.flatMap((text) => [...text.matchAll(pattern)].map(([, ...groups]) => groups.join(' ')));
  return [...new Set(matches)].sort();
}

test('every code and reason of an answer is on the page, and no others', () => {
  expect(rows('Reasons').sort()).toEqual(found(/new ApiError\(\{\s*code: (\d+),\s*reason: '(\w+)'/g));
});

test('so is every cause of an invalid object', () => {
  expect(rows('Causes of an invalid object').sort()).toEqual(found(/\| '(FieldValue\w+)'/g));
});

test('so is everything that storage refuses', () => {
  const [, union = ''] =
    /type StorageErrorCode =([^;]+);/.exec(sources.find((text) => text.includes('type StorageErrorCode =')) ?? '') ?? [];
  expect(rows('What storage refuses').sort()).toEqual([...union.matchAll(/'(\w+)'/g)].map(([, name]) => name).sort());
});
