import { Distribution } from './distribution.js';

describe('Distribution', () => {
  it('returns the value below which a share of all lies', () => {
    const distribution = new Distribution();
    for (let at = 100; at >= 1; at--) distribution.add(at);
    expect(distribution.percentiles()).toEqual({ 'p50 ms': 51, 'p99 ms': 100 });
  });

  it('is 0 without values', () => {
    expect(new Distribution().quantile(0.99)).toBe(0);
  });
});
