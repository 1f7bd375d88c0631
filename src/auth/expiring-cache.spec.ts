import { ExpiringCache } from './expiring-cache.js';

let time: number;
beforeEach(() => (time = 0));
const cacheOf = (capacity: number) => new ExpiringCache<number>(capacity, () => time);

describe('ExpiringCache', () => {
  it('knows an answer until its time is up', () => {
    const cache = cacheOf(10);
    cache.set('a', 1, 100);
    cache.set('b', 2, 0);
    time = 99;
    expect([cache.get('a'), cache.get('b')]).toEqual([1, undefined]);
    time = 100;
    expect(cache.get('a')).toBeUndefined();
  });

  it('keeps what is in use and no more than it may', () => {
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

  it('forgets everything when told to', () => {
    const cache = cacheOf(4);
    for (const key of ['a', 'b', 'c']) cache.set(key, 1, 1000);
    cache.clear();
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
  });
});
