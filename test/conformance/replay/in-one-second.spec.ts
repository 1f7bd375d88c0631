import { expect, test } from '@jest/globals';
import { inOneSecond } from './in-one-second.js';

const entry = (manager: string, time: string, operation = 'Update') => ({
  manager,
  time: `2026-01-01T00:00:${time}Z`,
  operation,
  apiVersion: 'v1',
});
const managersOf = (...managedFields: unknown[]) => {
  const { body } = inOneSecond({ body: { items: [{ metadata: { managedFields } }] } });
  return (body as { items: [{ metadata: { managedFields: { manager: string }[] } }] }).items[0].metadata.managedFields.map(
    ({ manager }) => manager,
  );
};

test('entries on both sides of the turn of a second are ordered by manager', () => {
  expect(managersOf(entry('b', '01'), entry('a', '02'))).toEqual(['a', 'b']);
});

test('entries further apart keep the order of their times', () => {
  expect(managersOf(entry('b', '01'), entry('a', '03'))).toEqual(['b', 'a']);
  expect(managersOf(entry('c', '01'), entry('b', '02'), entry('a', '03'))).toEqual(['b', 'c', 'a']);
});

test('operations stay apart', () => {
  expect(managersOf(entry('b', '01', 'Apply'), entry('a', '01'))).toEqual(['b', 'a']);
});
