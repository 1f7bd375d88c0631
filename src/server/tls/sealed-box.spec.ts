import { seal, unseal } from './sealed-box.js';

test('a sealed text can be opened only with its key', () => {
  const box = seal('a secret', 'key');
  expect(unseal(box, 'key')).toBe('a secret');
  expect(unseal(box, 'other')).toBeUndefined();
  expect(Buffer.from(box, 'base64').includes('a secret')).toBe(false);
});

test('a changed or truncated box cannot be opened', () => {
  const bytes = Buffer.from(seal('a secret', 'key'), 'base64');
  expect(unseal(bytes.subarray(0, 20).toString('base64'), 'key')).toBeUndefined();
  bytes[bytes.length - 1]! ^= 1;
  expect(unseal(bytes.toString('base64'), 'key')).toBeUndefined();
});
