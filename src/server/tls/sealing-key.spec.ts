import { SealingKey } from './sealing-key.js';

test('a sealed text can be opened only with its key', async () => {
  const box = await new SealingKey('key').seal('a secret');
  expect(await new SealingKey('key').unseal(box)).toBe('a secret');
  expect(await new SealingKey('other').unseal(box)).toBeUndefined();
  expect(Buffer.from(box, 'base64').includes('a secret')).toBe(false);
});

test('a changed or truncated box cannot be opened', async () => {
  const key = new SealingKey('key');
  const bytes = Buffer.from(await key.seal('a secret'), 'base64');
  expect(await key.unseal(bytes.subarray(0, 20).toString('base64'))).toBeUndefined();
  bytes[bytes.length - 1]! ^= 1;
  expect(await key.unseal(bytes.toString('base64'))).toBeUndefined();
});

test('secrets sealed together share a salt, but never a nonce', async () => {
  const key = new SealingKey('key');
  const [one, two] = (await Promise.all([key.seal('a'), key.seal('a')])).map((box) => Buffer.from(box, 'base64'));
  expect(one!.subarray(0, 16)).toEqual(two!.subarray(0, 16));
  expect(one!.subarray(16, 28)).not.toEqual(two!.subarray(16, 28));
  expect(Buffer.from(await new SealingKey('key').seal('a'), 'base64').subarray(0, 16)).not.toEqual(one!.subarray(0, 16));
});
