import { expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { columnWidths, fitted, inColumn } from './columns.js';

test('cells are as wide as terminals show them', () => {
  const rows = [
    ['HOLDER', 'X'],
    ['支付服务', '1'],
    ['🚀🚀', '2'],
    ['e\u0301', '3'],
  ];
  expect(columnWidths(rows)).toEqual([8, 1]);
  expect(rows.map(([holder = '']) => stringWidth(inColumn(holder, 8)))).toEqual([8, 8, 8, 8]);
});

test('the middle of what is wider than its column is left out, and no character is cut in two', () => {
  const holder = (end: string) => `payments-${'x'.repeat(230)}-${end}`;
  expect([inColumn(holder('pod-a'), 16), inColumn(holder('pod-b'), 16)]).toEqual(['payments…x-pod-a', 'payments…x-pod-b']);
  expect(inColumn('支付服务-主节点-東京', 10)).toBe('支付…東京 ');
  for (let width = 3; width < 20; width++) {
    expect([width, stringWidth(inColumn('👩‍👩‍👧‍👦🇩🇪'.repeat(10), width))]).toEqual([width, width]);
  }
});

test('the widest columns are narrowed until the row fits, and no column without end', () => {
  expect(fitted([40, 8, 253, 10])).toEqual([40, 8, 253, 10]);
  expect(fitted([40, 8, 253, 10], 100)).toEqual([40, 8, 42, 10]);
  expect(fitted([10, 8, 20], 100)).toEqual([10, 8, 20]);
  expect(fitted([40, 8, 253, 10], 20)).toEqual([9, 8, 9, 9]);
});
