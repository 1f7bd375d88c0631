import { describe, expect, it } from '@jest/globals';
import { CLOCKS_WITHIN_BOUNDS, CLOCKS_WRONG, MUTATIONS } from './configurations.js';
import { explore } from './explore.js';

describe('every order of writes, reads, restarts, restores and promotions', () => {
  it('assigns no revision twice and misleads neither caches nor clients while clocks are within bounds', () => {
    const { finding, states } = explore(CLOCKS_WITHIN_BOUNDS, 5);
    expect(finding).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  });

  it('misleads no cache and no running watch, however wrong clocks are', () => {
    expect(explore(CLOCKS_WRONG, 5).finding).toBeUndefined();
  });

  it.each(MUTATIONS)('finds the violation caused by: $mutation', ({ mutation, options, depth }) => {
    expect(explore(options, depth).finding).toBeUndefined();
    expect(explore({ ...options, mutation }, depth).finding).toMatchObject({ problem: expect.any(String), trace: expect.any(Array) });
  });
});
