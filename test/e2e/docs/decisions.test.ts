import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const folder = path.resolve(import.meta.dirname, '../../../docs/decisions');

test('the index of decisions lists every record once, in order', () => {
  const index = readFileSync(path.join(folder, 'README.md'), 'utf8');
  const listed = [...index.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(([, file]) => file);
  const records = readdirSync(folder).filter((file) => file !== 'README.md');
  expect(listed).toEqual(records.sort());
});
