import { expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { GrowingTable, layOut } from './columns.js';

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

const ACROSS = 80;
const history = [
  ['HOLDER', 'FROM', 'UNTIL', 'DURATION', 'ENDED', 'GAP', 'LATE', 'TOKEN'],
  ['worker-7d9c5b8f6-x2x9p', '2026-11-28T03:00:00Z', '2026-11-28T03:10:00Z', '10m', 'Released', '12s', '2', '1795692293411234'],
];
const wide = (text: string) => Math.max(...text.split('\n').map((line) => stringWidth(line)));

test('cells are as wide as terminals show them', () => {
  const text = layOut([
    ['HOLDER', 'X'],
    ['支付服务', '1'],
    ['🚀🚀', '2'],
    ['e\u0301', '3'],
  ]);
  expect(text.split('\n').map((line) => stringWidth(line))).toEqual([12, 12, 12, 12, 0]);
});

test('columns go before words do, and a line says which', () => {
  const text = layOut(history, { total: ACROSS, spare: ['LATE', 'GAP', 'DURATION', 'TOKEN'] });
  expect(wide(text)).toBeLessThanOrEqual(ACROSS);
  for (const cell of ['worker-7d9c5b8f6-x2x9p', '2026-11-28T03:00:00Z', '2026-11-28T03:10:00Z', 'Released']) expect(text).toContain(cell);
  expect(text.replace(/\s+/g, ' ')).toMatch(
    /\((DURATION|GAP|LATE|TOKEN|, )+: left out, as the terminal has 80 columns; -o json shows all\)/,
  );
  expect(layOut(history)).not.toContain('left out');
});

test('sentences are wrapped at spaces, and lose nothing', () => {
  const detail =
    'a: b expired 5m ago, by renewTime, which is of the clock of its holder, and nobody took it; see docs/operations.md for more';
  const text = layOut(
    [
      ['CHECK', 'STATE', 'DETAIL'],
      ["holder's clock", 'problem', detail],
    ],
    { total: 60, paint: ([, state]) => `<${state}>` },
  );
  const lines = text.trimEnd().split('\n');
  expect(lines[1]).toMatch(/^holder's clock {3}<problem> {3}a: b expired/);
  expect(
    lines
      .slice(1)
      .map((line) => line.slice(line.startsWith('holder') ? 29 : 27).trim())
      .join(' '),
  ).toBe(detail);
  expect(wide(text.replace(/[<>]/g, ''))).toBeLessThanOrEqual(60);
});

test('a word that is wider than the terminal is broken between characters, none of them lost', () => {
  const name = '👩‍👩‍👧‍👦🇩🇪支付'.repeat(40);
  const text = layOut([['HOLDER'], [name]], { total: 30 });
  expect(wide(text)).toBeLessThanOrEqual(30);
  expect(text.replace('HOLDER', '').replaceAll('\n', '')).toBe(name);
});

test.each([20, 40, 60, 80, 120, 200])('nothing of a cell is left out in %d columns', (total) => {
  const text = layOut(history, { total });
  const squeezed = text.replace(/\s/g, '');
  expect(text).not.toContain('…');
  expect(squeezed.length).toBe(history.flat().join('').length);
});
