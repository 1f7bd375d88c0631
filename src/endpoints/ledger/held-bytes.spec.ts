import { describe, expect, it } from '@jest/globals';
import { MAX_VALUES } from '../../apimachinery/codec/limits/body-limits.js';
import { DEFAULT_MEMORY_LIMITS } from './connection-account.js';
import { objectBytes, patchBytes } from './held-bytes.js';

const OPERATIONS = 10_000;

describe('the charge for a patch', () => {
  it('leaves room on a connection for the most operations that a JSON patch may have', () => {
    const operation = { op: 'test', path: '/metadata/annotations/a-name-of-usual-length', value: 'a value of usual length' };
    const patch = Buffer.from(JSON.stringify(Array(OPERATIONS).fill(operation)));
    expect(patchBytes(patch)).toBeLessThan(DEFAULT_MEMORY_LIMITS.connection / 1.5);
  });

  it('counts each value that it may leave in an object', () => {
    const labels = Object.fromEntries(Array.from({ length: MAX_VALUES / 2 }, (_, at) => [`k${at}`, '']));
    const patch = { metadata: { labels } };
    const body = Buffer.from(JSON.stringify(patch));
    expect(patchBytes(body)).toBeGreaterThan(0.95 * objectBytes(body.length, patch));
  });
});
