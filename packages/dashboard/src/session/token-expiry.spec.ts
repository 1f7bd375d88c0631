import { expect, test } from '@jest/globals';
import { expiryOf } from './token-expiry.js';

const tokenOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

test('the expiry of a JWT is its exp in milliseconds; other tokens have none', () => {
  expect(expiryOf(tokenOf({ exp: 1_900_000_000 }))).toBe(1_900_000_000_000);
  for (const token of ['admin-token', 'a.b.c', tokenOf({}), tokenOf({ exp: 'soon' })]) expect(expiryOf(token)).toBeUndefined();
});
