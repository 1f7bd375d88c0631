import fc from 'fast-check';
import type { LeaseCandidate } from '../lease-candidate.js';
import { PREFERRED_STRATEGIES, preferredStrategies } from '../preferred-strategies.js';
import type { LeaseCandidateV1alpha1 } from './lease-candidate-v1alpha1.conversion.js';
import { candidateFromV1alpha1, candidateToV1alpha1 } from './lease-candidate-v1alpha1.conversion.js';

const strategy = fc.constantFrom('', 'OldestEmulationVersion', 'example.com/a', 'example.com/b');
const strategies = fc.array(fc.oneof(strategy, fc.string()), { maxLength: 4 });
const annotation = fc.oneof(
  strategies.map((list) => JSON.stringify(list)),
  fc.json(),
  fc.string(),
  fc.constant('["example.com/a", "x"]'),
);
const annotations = fc.dictionary(fc.constantFrom(PREFERRED_STRATEGIES, 'other'), annotation);
const common = fc.record({ leaseName: fc.string(), binaryVersion: fc.string(), renewTime: fc.string() }, { requiredKeys: ['leaseName'] });

const hubs: fc.Arbitrary<LeaseCandidate> = fc.record({
  metadata: fc.record({ name: fc.string(), annotations }, { requiredKeys: ['name'] }),
  spec: fc.tuple(common, strategy).map(([spec, value]) => ({ ...spec, ...(value === '' ? {} : { strategy: value }) })),
});

const alphas: fc.Arbitrary<LeaseCandidateV1alpha1> = fc.record({
  metadata: fc.record({ name: fc.string(), annotations }, { requiredKeys: ['name'] }),
  spec: fc.tuple(common, strategies).map(([spec, list]) => ({ ...spec, ...(list.length === 0 ? {} : { preferredStrategies: list }) })),
});

/** Empty annotations are no annotations on the wire. */
function wire<T extends { metadata: { annotations?: object } }>(object: T): unknown {
  const { annotations = {}, ...metadata } = object.metadata;
  return { ...object, metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations } };
}

describe('LeaseCandidate between v1alpha1 and the hub', () => {
  test('whatever the hub holds comes back from v1alpha1 as it was', () => {
    fc.assert(fc.property(hubs, (hub) => expect(wire(candidateFromV1alpha1(candidateToV1alpha1(hub)))).toEqual(wire(hub))));
  });

  test('a list of any strategies comes back through the hub as it was', () => {
    fc.assert(
      fc.property(alphas, (alpha) => {
        const back = candidateToV1alpha1(candidateFromV1alpha1(alpha));
        expect(back.spec).toEqual(alpha.spec);
      }),
    );
  });

  test('converting changes nothing in place', () => {
    fc.assert(
      fc.property(hubs, alphas, (hub, alpha) => {
        const before = JSON.stringify([hub, alpha]);
        candidateToV1alpha1(hub);
        candidateFromV1alpha1(alpha);
        expect(JSON.stringify([hub, alpha])).toBe(before);
      }),
    );
  });

  test('one strategy needs no annotation, several are kept in one that v1alpha1 does not show', () => {
    const metadata = { name: 'c' };
    expect(candidateFromV1alpha1({ metadata, spec: { preferredStrategies: ['a/b'] } })).toEqual({ metadata, spec: { strategy: 'a/b' } });
    const several = { metadata, spec: { preferredStrategies: ['a/b', 'c/d'] } };
    const hub = candidateFromV1alpha1(several);
    expect(hub).toEqual({ metadata: { name: 'c', annotations: { [PREFERRED_STRATEGIES]: '["a/b","c/d"]' } }, spec: { strategy: 'a/b' } });
    expect(candidateToV1alpha1(hub)).toEqual(several);
  });

  test('a strategy that another version has changed since replaces the list', () => {
    const stale = { metadata: { annotations: { [PREFERRED_STRATEGIES]: '["a/b","c/d"]' } }, spec: { strategy: 'e/f' } };
    expect(preferredStrategies(stale)).toEqual(['e/f']);
    expect(candidateToV1alpha1(stale).spec).toEqual({ preferredStrategies: ['e/f'] });
  });
});
