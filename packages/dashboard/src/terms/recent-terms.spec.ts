import { expect, test } from '@jest/globals';
import { ApiFailure } from '../api/api-client.js';
import type { Lease } from '../api/kubernetes-objects.js';
import { LeaseStore } from '../leases/lease-store.js';
import { observeLease } from '../leases/observe-lease.js';
import { RecentTerms, recentlyAcquired } from './recent-terms.js';
import type { Service } from './term-archive.js';

{
  const NOW = Date.parse('2026-01-02T03:04:05Z');
  const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
  const answered = () => new Promise<void>((resolve) => setTimeout(resolve));

  const lease = (name: string, holderIdentity: string, resourceVersion: number, acquired = 1): Lease => ({
    metadata: { namespace: 'n', name, uid: name, resourceVersion: String(resourceVersion) },
    spec: { holderIdentity, leaseDurationSeconds: 15, acquireTime: ago(acquired), renewTime: ago(0) },
  });

  /** Terms of the holders `a`, `b` and so on, two minutes each; the last one lasts. Their tokens are 1, 2 and so on. */
  const termsOf = (holders: string) =>
    [...holders]
      .map((holder, at) => ({
        metadata: { name: `lease.${at + 1}` },
        spec: { holder, fencingToken: String(at + 1), from: ago(2 * (holders.length - at)) },
        status: at === holders.length - 1 ? {} : { until: ago(2 * (holders.length - at - 1)), reason: 'Released' },
      }))
      .reverse();

  function page(service: Service, answer: () => object) {
    const asked: string[] = [];
    const json = <T>(path: string): Promise<T> => {
      asked.push(path);
      return Promise.resolve().then(() => answer() as T);
    };
    const archive = { service, discover: () => undefined };
    const store = new LeaseStore();
    const recent = new RecentTerms({ json }, archive);
    const flaps = (name: string) => recent.flaps(store.leases.get(`n/${name}`)!, NOW);
    return { asked, archive, store, recent, flaps };
  }

  test('a lease that flapped before the page was opened is flapping', async () => {
    const { asked, store, recent, flaps } = page('served', () => ({ items: termsOf('abab') }));
    store.replace([lease('one', 'b', 4), lease('long-held', 'b', 3, 60)], NOW);
    expect(flaps('one')).toBe(false);
    for (let frame = 0; frame < 3; frame++) recent.follow(store, NOW);
    await answered();
    expect([flaps('one'), flaps('long-held')]).toEqual([true, false]);
    // of a lease that has not changed hands lately nothing is read, and no more than the newest terms of the others
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('/namespaces/n/leaseterms?fieldSelector=spec.leaseName%3Done&limit=20');
  });

  test('changes before the page was opened and those that it has seen count together, each of them once', async () => {
    const { store, recent, flaps } = page('served', () => ({ items: termsOf('ab') }));
    store.replace([lease('one', 'b', 2)], NOW);
    recent.follow(store, NOW);
    await answered();
    store.apply([{ type: 'MODIFIED', object: lease('one', 'c', 3, 0) }], { now: NOW, live: true });
    expect(flaps('one')).toBe(false);
    store.apply([{ type: 'MODIFIED', object: lease('one', 'a', 4, 0) }], { now: NOW, live: true });
    expect(flaps('one')).toBe(true);
  });

  test('terms that were read after the page had seen their beginnings are no changes of their own', async () => {
    const { store, recent, flaps } = page('served', () => ({ items: termsOf('abc') }));
    store.replace([lease('one', 'a', 1, 4)], NOW);
    for (const [at, holder] of ['b', 'c'].entries()) {
      store.apply([{ type: 'MODIFIED', object: lease('one', holder, at + 2) }], { now: NOW, live: true });
    }
    recent.follow(store, NOW);
    await answered();
    expect(flaps('one')).toBe(false);
  });

  test('terms are read for the leases acquired last, and the page knows how many were left out', async () => {
    const { asked, store, recent } = page('served', () => ({ items: [] }));
    store.replace(
      Array.from({ length: 500 }, (_, at) => lease(`lease-${at}`, 'a', 1, at / 100)),
      NOW,
    );
    recent.follow(store, NOW);
    await answered();
    expect([asked.length, recent.leftOut]).toEqual([200, 300]);
    expect(asked.some((path) => path.includes('lease-199&'))).toBe(true);
    // the next list is another one, as after a gap in the watch
    store.replace([lease('lease-1', 'a', 1)], NOW);
    recent.follow(store, NOW);
    await answered();
    expect([asked.length, recent.leftOut]).toEqual([201, 0]);
  });

  test('without read access, no more terms are requested, and the page shows what it has seen', async () => {
    const { asked, store, recent, flaps } = page('served', () => {
      throw new ApiFailure(403, 'no');
    });
    store.replace(
      Array.from({ length: 9 }, (_, at) => lease(`lease-${at}`, 'a', 1)),
      NOW,
    );
    for (let frame = 0; frame < 3; frame++) {
      recent.follow(store, NOW + frame * 60_000);
      await answered();
    }
    expect([recent.refused, asked.length, flaps('lease-0')]).toEqual([true, 2, false]);
  });

  test('after another failure they are read again, but not at once; and only where they are served', async () => {
    let fails = true;
    const { asked, archive, store, recent, flaps } = page('unknown', () => {
      if (fails) throw new ApiFailure(0, 'unreachable');
      return { items: termsOf('abab') };
    });
    store.replace([lease('one', 'b', 4)], NOW);
    const follow = async (ms: number) => {
      recent.follow(store, NOW + ms);
      await answered();
      return asked.length;
    };
    expect(await follow(0)).toBe(0);
    archive.service = 'served';
    expect(await follow(100)).toBe(1);
    fails = false;
    expect(await follow(10_000)).toBe(1);
    expect(await follow(21_000)).toBe(2);
    expect([recent.refused, flaps('one')]).toEqual([false, true]);
  });
}

{
  const NOW = Date.parse('2026-01-02T03:04:05Z');
  const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
  const lease = (name: string, spec: object) =>
    observeLease(undefined, { metadata: { namespace: 'n', name, uid: name, resourceVersion: '1' }, spec }, { now: NOW, live: false });

  test('leases that were acquired lately come first, then those that do not say when; the others are left out', () => {
    const leases = [
      lease('long-held', { holderIdentity: 'a', acquireTime: ago(21), renewTime: ago(0) }),
      lease('quiet', { holderIdentity: 'a', renewTime: ago(0) }),
      lease('changing', { holderIdentity: 'a', renewTime: ago(0), leaseTransitions: 7 }),
      lease('earlier', { holderIdentity: 'a', acquireTime: ago(9), renewTime: ago(0) }),
      lease('clock-behind', { holderIdentity: 'a', acquireTime: ago(19), renewTime: ago(0) }),
      lease('released', { acquireTime: ago(1), renewTime: ago(0) }),
      lease('never-held', {}),
    ];
    expect(recentlyAcquired(leases, NOW).map(({ name }) => name)).toEqual(['released', 'earlier', 'clock-behind', 'changing', 'quiet']);
  });
}
