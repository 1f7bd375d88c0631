import { beforeAll, describe, expect, it } from '@jest/globals';
import { microTime } from '../../../src/apimachinery/go/go-time.js';
import type { Lease } from '../../../src/apis/coordination/lease/lease.schema.js';
import { LEASE_RESOURCE } from '../../../src/storage/term-change.js';
import { forAllTests } from '../../support/for-tests.js';
import { eventually } from '../../support/eventually.js';
import { WatchRecorder } from '../../support/watch-recorder.js';
import { openFixture } from './postgres-fixture.js';
import { TermReplica } from './term-replica.js';

const held = (holderIdentity: string) => ({ holderIdentity, leaseDurationSeconds: 15, renewTime: microTime(Date.now()) });

describe('terms of leases', () => {
  const fixture = forAllTests(() => openFixture(0));
  const replica = forAllTests(() => TermReplica.open(fixture.url));
  const other = forAllTests(() => TermReplica.open(fixture.url));
  beforeAll(() => replica.registry.withNamespace());

  it('are exactly the history that an independent watcher saw', async () => {
    const seen = new WatchRecorder();
    const watch = await other.cached.watch({ resource: LEASE_RESOURCE, namespace: 'ns' }, {}, seen.receive);
    const lease = (i: number) => `busy-${i % 4}`;
    const holders = ['a', 'b', 'c', ''];
    const work = Array.from({ length: 200 }, (_, i) => async () => {
      const writer = [replica, other][i % 2] as TermReplica;
      const kind = (i * 7) % 11;
      if (kind === 0) await writer.delete(lease(i));
      else if (kind === 1) await writer.create(lease(i), held(holders[i % 4]!));
      else await writer.write(lease(i), { ...held(holders[(i * 5) % 4]!), leaseTransitions: i % 3 });
    });
    for (let at = 0; at < work.length; at += 8) await Promise.allSettled(work.slice(at, at + 8).map((run) => run()));
    for (let i = 0; i < 4; i++) await replica.create(lease(i), held('last')).catch(() => replica.write(lease(i), held('last')));
    await eventually(() => new Set(seen.events.filter(isLast).map(({ object }) => object.key.name)).size === 4);
    watch.close();
    for (let i = 0; i < 4; i++) {
      const terms = await other.history(lease(i));
      expect(terms.map(({ spec, status }) => [spec.fencingToken, spec.holder, status.reason === 'Deleted'])).toEqual(
        termsOf(seen.events.filter(({ object }) => object.key.name === lease(i))),
      );
      for (const [at, { spec, status }] of terms.entries()) {
        const next = terms[at + 1];
        expect(status.phase === 'Held').toBe(next === undefined);
        if (next) expect(Date.parse(status.until!)).toBeLessThanOrEqual(Date.parse(next.spec.from!));
        expect(Number(next?.spec.fencingToken ?? Infinity)).toBeGreaterThan(Number(spec.fencingToken));
      }
    }
  });
});

type Seen = WatchRecorder['events'][number];

const isLast = ({ object }: Seen): boolean => object.key.name.startsWith('busy-') && object.data.includes('"last"');

/** Token, holder and whether it ended with the lease, as a watcher of a lease concludes. */
function termsOf(events: readonly Seen[]): [string, string, boolean][] {
  const terms: [string, string, boolean][] = [];
  let open = '';
  for (const { type, revision, object } of events) {
    const { holderIdentity = '', leaseTransitions } = (JSON.parse(object.data) as Lease).spec ?? {};
    const now = type === 'DELETED' || holderIdentity === '' ? '' : `${holderIdentity} ${leaseTransitions}`;
    if (now === open) continue;
    if (type === 'DELETED' && open !== '') (terms.at(-1) as [string, string, boolean])[2] = true;
    open = now;
    if (now !== '') terms.push([String(revision), holderIdentity, false]);
  }
  return terms;
}
