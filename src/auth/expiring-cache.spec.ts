import { ExpiringCache } from './expiring-cache.js';

let time: number;
beforeEach(() => (time = 0));
const cacheOf = (capacity: number) => new ExpiringCache<number>(capacity, () => time);

describe('ExpiringCache', () => {
  it('returns an entry until it expires', () => {
    const cache = cacheOf(10);
    cache.set('a', 1, 100);
    cache.set('b', 2, 0);
    time = 99;
    expect([cache.get('a'), cache.get('b')]).toEqual([1, undefined]);
    time = 100;
    expect(cache.get('a')).toBeUndefined();
  });

  it('keeps entries in use, within its capacity', () => {
    const cache = cacheOf(10);
    for (let n = 0; n < 1000; n++) {
      cache.set(`k${n}`, n, 1000);
      cache.get('k0');
    }
    const known = Array.from({ length: 1000 }, (_, n) => n).filter((n) => cache.get(`k${n}`) !== undefined);
    expect(known).toContain(0);
    expect(known.length).toBeGreaterThanOrEqual(5);
    expect(known.length).toBeLessThanOrEqual(10);
  });

  it('is empty after clear', () => {
    const cache = cacheOf(4);
    for (const key of ['a', 'b', 'c']) cache.set(key, 1, 1000);
    cache.clear();
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
  });
});
