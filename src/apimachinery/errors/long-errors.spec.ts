import { badRequest, invalidObject } from './status-errors.js';
import { type FieldError, invalid } from './field-error.js';

const LEASE = { group: 'coordination.k8s.io', kind: 'Lease' };

test('a message shows the beginning of a long value', () => {
  const { message } = invalidObject(LEASE, 'x', [invalid('spec.a', 'a'.repeat(3_000_000), 'too odd')]);
  expect(message).toBe(`Lease.coordination.k8s.io "x" is invalid: spec.a: Invalid value: "${'a'.repeat(4096)}…": too odd`);
  const object = { text: '😀'.repeat(10_000) };
  expect(invalidObject(LEASE, 'x', [invalid('spec', object, 'odd')]).message).toMatch(/: \{"text":"(?:😀)+…: odd$/u);
  expect(badRequest('b'.repeat(3_000_000)).message).toBe(`${'b'.repeat(131_072)}…`);
});

test('of many errors, a response has the first and the number of the others, which are never formatted', () => {
  let formatted = 0;
  const value = { toJSON: () => `${++formatted}` };
  const errors: FieldError[] = Array.from({ length: 10_000 }, () => invalid('f', value, 'x'.repeat(1000)));
  const { message, status } = invalidObject(LEASE, 'x', errors);
  expect(message).toContain(`, and ${10_000 - (status.details?.causes?.length ?? 0)} more]`);
  expect(message.length).toBeLessThan(80_000);
  expect(formatted).toBeLessThan(100);
});
