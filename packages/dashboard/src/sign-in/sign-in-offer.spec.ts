import { expect, test } from '@jest/globals';
import { challengeOf, randomText } from './sign-in-offer.js';

test('the challenge is that of RFC 7636, appendix B', async () => {
  expect(await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('a random text is a valid verifier, and never the same', () => {
  const texts = Array.from({ length: 50 }, randomText);
  for (const text of texts) expect(text).toMatch(/^[\w-]{43}$/);
  expect(new Set(texts).size).toBe(50);
});
