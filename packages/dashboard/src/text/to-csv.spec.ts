import { expect, test } from '@jest/globals';
import { toCsv } from './to-csv.js';

test('rows become lines under the names of their columns, quoted where they must be', () => {
  const rows = [
    { name: 'a', holder: 'x, "y"\nz', term: 3, until: undefined },
    { name: 'b', holder: '漢 🙂', term: -1, until: null },
  ];
  expect(toCsv(rows)).toBe('name,holder,term,until\r\na,"x, ""y""\nz",3,\r\nb,漢 🙂,-1,\r\n');
});

test.each(['=1+1', '+1', '-1', '@x', '\tx', '\rx'])('%j is no formula', (holder) => {
  expect(toCsv([{ holder }]).replaceAll('"', '')).toBe(`holder\r\n'${holder}\r\n`);
});
