import { describe, expect, it, test } from '@jest/globals';
import { leaseTermChange, renewalMayWait, renewalTime, validateLeaseSpec } from './lease.resource.js';
import type { Lease, LeaseSpec } from './lease.schema.js';
import { forcedOpen } from './lock/forced-open.js';

describe('the spec of a lease', () => {
  const texts = (spec: LeaseSpec) => validateLeaseSpec(spec).map(({ field, body }) => `${field}: ${body}`);
  const unsupported = (value: string) =>
    `spec.strategy.strategy: Unsupported value: ${JSON.stringify(value)}: supported values: "OldestEmulationVersion"`;
  const withoutStrategy = 'spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined';

  it.each<LeaseSpec>([
    {},
    { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 },
    { strategy: 'OldestEmulationVersion', preferredHolder: 'a' },
    { strategy: 'example.com/custom', preferredHolder: '' },
    { preferredHolder: '' },
  ])('may be %j', (spec) => {
    expect(texts(spec)).toEqual([]);
  });

  it.each<[LeaseSpec, string[]]>([
    [{ leaseDurationSeconds: 0 }, ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0']],
    [
      { leaseDurationSeconds: -5, leaseTransitions: -2 },
      [
        'spec.leaseDurationSeconds: Invalid value: -5: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
    [{ strategy: 'Best' }, [unsupported('Best')]],
    [{ strategy: '', preferredHolder: 'a' }, [unsupported(''), withoutStrategy]],
    [{ preferredHolder: 'a' }, [withoutStrategy]],
  ])('may not be %j', (spec, expected) => {
    expect(texts(spec)).toEqual(expected);
  });

  it('accepts qualified names as custom strategies, and messages show them', () => {
    expect(texts({ strategy: '/x' })).toEqual(['spec.strategy.strategy: Invalid value: "/x": prefix part must be non-empty']);
    expect(texts({ strategy: 'a/b/c' })).toHaveLength(1);
  });
});

{
  const lease = (spec?: LeaseSpec) => ({ metadata: { name: 'a', uid: 'u' }, spec }) as Lease;
  const HELD = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000000Z' };
  const RENEWED = { ...HELD, renewTime: '2026-01-02T03:04:07.000000Z' };

  test("a renewal may wait for a thousandth of its lease's duration", () => {
    expect(renewalMayWait(lease(RENEWED), lease(HELD))).toBe(15);
    expect(renewalMayWait(lease({ ...RENEWED, leaseDurationSeconds: 2 }), lease({ ...HELD, leaseDurationSeconds: 2 }))).toBe(2);
  });

  test.each<[string, LeaseSpec | undefined, LeaseSpec | undefined]>([
    ['an acquisition', RENEWED, { ...HELD, holderIdentity: '' }],
    ['a takeover', { ...RENEWED, holderIdentity: 'b' }, HELD],
    ['a release', { ...RENEWED, holderIdentity: '' }, HELD],
    ['another duration', { ...RENEWED, leaseDurationSeconds: 30 }, HELD],
    ['a request to hand over', { ...RENEWED, preferredHolder: 'b' }, HELD],
    ['another strategy', { ...RENEWED, strategy: 'OldestEmulationVersion' }, HELD],
    ['a first spec', RENEWED, undefined],
    ['the removal of the spec', undefined, HELD],
    ['a change of a lease that nobody holds', { leaseDurationSeconds: 15 }, { leaseDurationSeconds: 15 }],
    ['a renewal without a duration', { holderIdentity: 'a' }, { holderIdentity: 'a' }],
  ])('%s may not wait', (_, next, old) => {
    expect(renewalMayWait(lease(next), lease(old))).toBe(0);
  });

  const NOON = Date.parse('2026-01-02T12:00:00.000Z');

  test('renewals by a clock that stands still have each another time', () => {
    const times = new Set<string>();
    let last: string | undefined;
    for (let i = 0; i < 1_000; i++) times.add((last = renewalTime(last, NOON)));
    expect(times.size).toBe(1_000);
    expect(last).toBe('2026-01-02T12:00:00.000999Z');
    expect(renewalTime(last, NOON + 1)).toBe('2026-01-02T12:00:00.001000Z');
  });
}

{
  const lease = (spec: LeaseSpec, labels?: Record<string, string>): Lease => ({ metadata: { name: 'a', uid: 'u', labels }, spec });
  const HELD = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 3, renewTime: '2026-01-02T03:04:05.000000Z' };
  const ENDED = { holder: 'a', durationSeconds: 15, renewTime: HELD.renewTime, expiresMs: Date.parse(HELD.renewTime) + 15_000 };

  test('a renewal changes no term, whatever else it changes', () => {
    const renewed = { ...HELD, renewTime: '2026-01-02T03:04:07.000000Z', leaseDurationSeconds: 20, preferredHolder: 'b', strategy: 's' };
    expect(leaseTermChange(lease(HELD), lease(renewed, { x: 'y' }))).toBeUndefined();
  });

  test.each([
    ['no lease', undefined],
    ['a lease that nobody holds', lease({})],
    ['a released lease', lease({ holderIdentity: '' })],
  ])('a term begins with the first holder of %s', (_, old) => {
    expect(leaseTermChange(old, lease(HELD, { x: 'y' }))).toEqual({
      leaseUid: 'u',
      begun: { holder: 'a', durationSeconds: 15, transitions: 3, labels: { x: 'y' } },
    });
  });

  test('a lease without a holder begins, ends and changes no term', () => {
    const [absent, empty] = [lease({}), lease({ holderIdentity: '' })];
    for (const [old, next] of [
      [undefined, absent],
      [absent, empty],
      [empty, absent],
      [absent, undefined],
    ] as const) {
      expect(leaseTermChange(old, next)).toBeUndefined();
    }
  });

  test('another holder ends a term and begins one', () => {
    expect(leaseTermChange(lease(HELD), lease({ ...HELD, holderIdentity: 'b', leaseTransitions: 4 }))).toEqual({
      leaseUid: 'u',
      ended: { ...ENDED, reason: 'Replaced' },
      begun: { holder: 'b', durationSeconds: 15, transitions: 4, labels: undefined },
    });
  });

  test('the same holder with another number of transitions has acquired the lease anew', () => {
    expect(leaseTermChange(lease(HELD), lease({ ...HELD, leaseTransitions: 4 }))).toMatchObject({
      ended: { reason: 'Replaced' },
      begun: { holder: 'a', transitions: 4 },
    });
  });

  test('a term ends with the release and with the deletion of its lease', () => {
    expect(leaseTermChange(lease(HELD), lease({ holderIdentity: '' }))).toEqual({ leaseUid: 'u', ended: { ...ENDED, reason: 'Released' } });
    expect(leaseTermChange(lease(HELD), undefined)).toEqual({ leaseUid: 'u', ended: { ...ENDED, reason: 'Deleted' } });
  });

  test('a lock that somebody forces open ends as forced, by the write that says so and by no later one', () => {
    const forced = forcedOpen('admin', '2026-01-02T03:04:06.000000Z');
    const held = { ...lease(HELD), metadata: { name: 'a', uid: 'u', annotations: forced } };
    const free = { ...lease({ holderIdentity: '' }), metadata: held.metadata };
    expect(leaseTermChange(lease(HELD), free)?.ended?.reason).toBe('Forced');
    expect(leaseTermChange(held, free)?.ended?.reason).toBe('Released');
  });

  test('a holder that makes way for the preferred one hands the lease over', () => {
    const asked = { ...HELD, preferredHolder: 'b', strategy: 's' };
    const reason = (next: LeaseSpec) => leaseTermChange(lease(asked), lease(next))?.ended?.reason;
    expect(reason({ ...asked, holderIdentity: '' })).toBe('HandedOver');
    expect(reason({ ...HELD, holderIdentity: 'b' })).toBe('HandedOver');
    expect(reason({ ...HELD, holderIdentity: 'c' })).toBe('Replaced');
  });
}
