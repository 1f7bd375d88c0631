import { describe, expect, it, test } from '@jest/globals';
import { invalid, required } from './field-error.js';
import { alreadyExists, conflict, forbidden, invalidObject, notFound } from './status-errors.js';

const leases = { group: 'coordination.k8s.io', resource: 'leases' };

describe('errors about an object', () => {
  it.each([
    [notFound(leases, 'a\tb'), 'leases.coordination.k8s.io "a\\tb" not found'],
    [alreadyExists(leases, '\0'), 'leases.coordination.k8s.io "\\x00" already exists'],
    [conflict(leases, 'a"b', 'x'), 'Operation cannot be fulfilled on leases.coordination.k8s.io "a\\"b": x'],
    [forbidden(leases, 'é', 'x'), 'leases.coordination.k8s.io "é" is forbidden: x'],
    [invalidObject({ group: '', kind: 'Namespace' }, '\x07', []), 'Namespace "\\a" is invalid'],
  ])('quote its name as Go does: %s', ({ message }, text) => {
    expect(message).toBe(text);
  });
});

test('a Status lists at most 1000 of the causes of an invalid body', () => {
  const errors = Array.from({ length: 5000 }, (_, i) => required(`spec.field${i}`));
  const { status } = invalidObject({ group: 'g', kind: 'K' }, 'a', errors);
  expect(status.details?.causes).toHaveLength(1000);
  expect(status.message).toContain('spec.field999: Required value');
  expect(status.message).not.toContain('spec.field1000:');
});

test('errors of equal texts are one cause, in the place of the first', () => {
  const errors = [invalid('b', 1, 'x'), required('a'), invalid('b', 1, 'x'), invalid('b', 1, 'y'), required('a')];
  const { details, message } = invalidObject({ group: 'g', kind: 'K' }, 'a', errors).status;
  expect(details?.causes?.map((cause) => `${cause.field}: ${cause.message}`)).toEqual([
    'b: Invalid value: 1: x',
    'a: Required value',
    'b: Invalid value: 1: y',
  ]);
  expect(message).toBe('K.g "a" is invalid: [b: Invalid value: 1: x, a: Required value, b: Invalid value: 1: y]');
});

test('details name no kind where the path names no resource', () => {
  expect(forbidden({ group: 'g', resource: '' }, 'leases', 'x').status.details).toEqual({ name: 'leases', group: 'g' });
});
