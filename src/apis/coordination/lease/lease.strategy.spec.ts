import { describe, expect, it } from '@jest/globals';
import type { LeaseSpec } from './lease.schema.js';
import { validateLeaseSpec } from './lease.strategy.js';

const texts = (spec: LeaseSpec) => validateLeaseSpec(spec).map(({ field, body }) => `${field}: ${body}`);
const unsupported = (value: string) =>
  `spec.strategy.strategy: Unsupported value: ${JSON.stringify(value)}: supported values: "OldestEmulationVersion"`;
const withoutStrategy = 'spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined';

describe('the spec of a lease', () => {
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
