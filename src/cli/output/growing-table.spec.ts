import { expect, test } from '@jest/globals';
import { GrowingTable } from './growing-table.js';

function begin() {
  const lines: string[] = [];
  const table = new GrowingTable(['LEASE', 'HOLDER', 'REVISION'], [6, 6], (line) => lines.push(line));
  return { lines, table };
}

test('columns stay aligned, below new headings where a longer cell widens one', () => {
  const { lines, table } = begin();
  table.print([['a', 'x', '1']]);
  table.print([['b', 'y', '1234567890']]);
  table.print([
    ['a-long-name', 'x', '3'],
    ['c', '', ''],
  ]);
  table.print([['a', 'z', '4']]);
  expect(lines.join('')).toBe(
    [
      'LEASE   HOLDER  REVISION',
      'a       x       1',
      'b       y       1234567890',
      'LEASE        HOLDER  REVISION',
      'a-long-name  x       3',
      'c',
      'a            z       4',
      '',
    ].join('\n'),
  );
});

test('without a row nothing is printed', () => {
  const { lines, table } = begin();
  table.print([]);
  expect(lines).toEqual([]);
});
