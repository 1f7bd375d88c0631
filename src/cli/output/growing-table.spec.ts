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

test('a terminal that becomes narrower gets narrower columns, and all of their cells', () => {
  const lines: string[] = [];
  let total = 60;
  const table = new GrowingTable(
    ['LEASE', 'HOLDER', 'REVISION'],
    [20, 20],
    (line) => lines.push(line),
    () => total,
  );
  const print = (holder: string, revision: string) => {
    lines.length = 0;
    table.print([['jobs/report', holder, revision]]);
    return lines.slice(1);
  };
  const holder = (end: string) => `a-${'long-'.repeat(16)}${end}`;
  expect(
    print(holder('b'), '1')
      .map((line) => line.slice(22, 50).trim())
      .join(''),
  ).toBe(holder('b'));
  total = 40;
  const narrow = print(holder('c'), '1234567890');
  expect(Math.max(...narrow.map(({ length }) => length))).toBeLessThanOrEqual(41);
  expect(narrow.join('').replace(/\s/g, '')).toContain('jobs/report');
  expect(narrow.map((line) => line.slice(13, 28).trim()).join('')).toBe(holder('c'));
});

test('without a row nothing is printed', () => {
  const { lines, table } = begin();
  table.print([]);
  expect(lines).toEqual([]);
});
