import { describe, expect, it } from '@jest/globals';
import { generateName } from './object-values.js';

describe('a generated name', () => {
  it('is the prefix and five characters without vowels', () => {
    for (let i = 0; i < 100; i++) expect(generateName('job-')).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(Array.from({ length: 100 }, () => generateName('')))).not.toHaveProperty('size', 1);
  });

  it('is at most 63 bytes long', () => {
    expect(generateName('x'.repeat(58))).toHaveLength(63);
    expect(generateName('x'.repeat(200))).toMatch(/^x{58}[a-z0-9]{5}$/);
  });
});
