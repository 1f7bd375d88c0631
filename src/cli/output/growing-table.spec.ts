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

test('a terminal that becomes narrower gets narrower columns, with the ends of the cells', () => {
  const lines: string[] = [];
  let total = 60;
  const table = new GrowingTable(
    ['LEASE', 'HOLDER', 'REVISION'],
    [20, 20],
    (line) => lines.push(line),
    () => total,
  );
  table.print([['jobs/支付服务', `a-${'long-'.repeat(40)}b`, '1']]);
  total = 40;
  table.print([['jobs/nightly-report-of-all', `a-${'long-'.repeat(40)}c`, '1234567890']]);
  expect(lines.join('')).toBe(
    [
      'LEASE                 HOLDER                        REVISION',
      'jobs/支付服务         a-long-long-lo…g-long-long-b  1',
      'LEASE          HOLDER         REVISION',
      'jobs/n…of-all  a-long…long-c  1234567890',
      '',
    ].join('\n'),
  );
});

test('without a row nothing is printed', () => {
  const { lines, table } = begin();
  table.print([]);
  expect(lines).toEqual([]);
});
