import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Lease } from '../../../../kube-client/src/kubernetes-objects.js';
import { FakeClock } from '../../../../leader-election/test/support/fake-clock.js';
import { ObservedTicket } from './observed-ticket.js';
import { AFTER, KnownVersions } from './ticket.js';

let clock: FakeClock;
let versions: KnownVersions;
beforeEach(() => {
  clock = new FakeClock();
  versions = new KnownVersions(clock);
});

/** With a time of its owner's clock that means nothing. */
const ticket = (version: number, after = 't1'): Lease => ({
  metadata: { name: `t${version}`, resourceVersion: String(version), annotations: { [AFTER]: after } },
  spec: { holderIdentity: 'other', leaseDurationSeconds: 30, renewTime: '2020-01-01T00:00:00.000000Z' },
});
const ahead = (version: number): ObservedTicket => new ObservedTicket(ticket(version), { versions, clock, ticketSeconds: 30 });

describe('a ticket ahead', () => {
  it('expires when its time has passed since it was first seen', async () => {
    const observed = ahead(10);
    await clock.pass(29_000);
    observed.saw(ticket(10));
    expect(observed.expiresIn).toBe(1_000);
  });

  it.each([
    [30, 30_000],
    [60, 60_000],
  ])('that says it lasts for decades is believed for as long as the own one lasts, here %d s', async (ticketSeconds, believed) => {
    const { metadata, spec } = ticket(10);
    const lasting = { metadata, spec: { ...spec, leaseDurationSeconds: 2 ** 31 - 1 } };
    const observed = new ObservedTicket(lasting, { versions, clock, ticketSeconds });
    expect(observed.expiresIn).toBe(believed);
    await clock.pass(believed);
    expect(observed.expiresIn).toBe(0);
  });

  it('has its whole time again after a renewal', async () => {
    const observed = ahead(10);
    await clock.pass(29_000);
    observed.saw(ticket(11));
    expect(observed.expiresIn).toBe(30_000);
  });

  it('that is found late expires when an older one that was seen all along does', async () => {
    const observed = ahead(10);
    await clock.pass(30_000);
    expect([observed.expiresIn, ahead(9).expiresIn, ahead(2).expiresIn]).toEqual([0, 0, 0]);
  });

  it('that was renewed meanwhile has the time from the next version that was known here', async () => {
    ahead(10);
    await clock.pass(20_000);
    versions.saw(ticket(20));
    await clock.pass(5_000);
    versions.saw(ticket(30));
    await clock.pass(5_000);
    expect([9, 10, 11, 20, 21, 30].map((version) => ahead(version).expiresIn)).toEqual([0, 0, 20_000, 20_000, 25_000, 25_000]);
  });

  it('that was renewed after everything known here has its whole time', async () => {
    ahead(10);
    await clock.pass(60_000);
    expect(ahead(11).expiresIn).toBe(30_000);
  });

  it('has its whole time after the server did not answer, since it could not be renewed', async () => {
    const observed = ahead(10);
    await clock.pass(29_000);
    versions.distrust();
    expect([observed.expiresIn, ahead(9).expiresIn]).toEqual([30_000, 30_000]);
    versions.saw(ticket(20));
    await clock.pass(30_000);
    expect([observed.expiresIn, ahead(9).expiresIn]).toEqual([0, 0]);
  });

  it.each([10, 9])('has its whole time after the database was set back, which is seen by a version %d in place of 11', async (version) => {
    ahead(10);
    const observed = ahead(11);
    await clock.pass(29_000);
    observed.saw(ticket(version));
    expect([observed.expiresIn, ahead(8).expiresIn]).toEqual([30_000, 30_000]);
  });

  it('has the time of the first when the one that it follows is gone, until it follows another', async () => {
    const observed = ahead(10);
    await clock.pass(10_000);
    observed.aheadIsGone();
    expect(observed.expiresIn).toBe(6_000);
    await clock.pass(5_000);
    observed.aheadIsGone();
    observed.saw(ticket(10));
    expect(observed.expiresIn).toBe(1_000);
    observed.saw(ticket(11));
    expect(observed.expiresIn).toBe(6_000);
    observed.saw(ticket(12, ''));
    expect(observed.expiresIn).toBe(30_000);
  });

  it('has no more time than its own when the one that it follows is gone', async () => {
    const observed = ahead(10);
    await clock.pass(29_000);
    observed.aheadIsGone();
    expect(observed.expiresIn).toBe(1_000);
  });

  it('is renewed at versions below those known before the database was set back', async () => {
    const observed = ahead(100);
    observed.saw(ticket(11));
    await clock.pass(29_000);
    observed.saw(ticket(12));
    expect(observed.expiresIn).toBe(30_000);
  });

  it('that is observed for longer than versions are remembered keeps its age', async () => {
    const observed = ahead(10);
    for (let version = 20; version < 140; version++) {
      await clock.pass(1_000);
      versions.saw(ticket(version));
    }
    observed.saw(ticket(10));
    expect([observed.expiresIn, ahead(9).expiresIn]).toEqual([30_000 - 120_000, 30_000 - 90_000]);
  });
});
