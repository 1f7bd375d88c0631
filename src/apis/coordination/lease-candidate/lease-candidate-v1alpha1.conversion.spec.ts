import fc from 'fast-check';
import {
  type LeaseCandidateV1alpha1,
  PREFERRED_STRATEGIES,
  candidateFromV1alpha1,
  candidateToV1alpha1,
  preferredStrategies,
} from './lease-candidate-v1alpha1.conversion.js';
import type { LeaseCandidate } from './lease-candidate.schema.js';

const strategy = fc.constantFrom('', 'OldestEmulationVersion', 'example.com/a', 'example.com/b');
const strategies = fc.array(fc.oneof(strategy, fc.string()), { maxLength: 4 });
const annotation = fc.oneof(
  strategies.map((list) => JSON.stringify(list)),
  fc.json(),
  fc.string(),
  fc.constant('["example.com/a", "x"]'),
);
const annotations = fc.dictionary(fc.constantFrom(PREFERRED_STRATEGIES, 'other'), annotation);
const common = fc.record({ leaseName: fc.string(), renewTime: fc.string() }, { requiredKeys: ['leaseName'] });
const binaryVersion = fc.constantFrom('', '1.36.0');

const hubs: fc.Arbitrary<LeaseCandidate> = fc.record({
  metadata: fc.record({ name: fc.string(), annotations }, { requiredKeys: ['name'] }),
  spec: fc
    .tuple(common, binaryVersion, strategy)
    .map(([spec, version, value]) => ({ ...spec, binaryVersion: version, ...(value === '' ? {} : { strategy: value }) })),
});

const alphas: fc.Arbitrary<LeaseCandidateV1alpha1> = fc.record({
  metadata: fc.record({ name: fc.string(), annotations }, { requiredKeys: ['name'] }),
  spec: fc.tuple(common, binaryVersion, strategies).map(([spec, version, list]) => ({
    ...spec,
    ...(version === '' ? {} : { binaryVersion: version }),
    ...(list.length === 0 ? {} : { preferredStrategies: list }),
  })),
});

/** On the wire, empty annotations are the same as none. */
function wire<T extends { metadata: { annotations?: object } }>(object: T): unknown {
  const { annotations = {}, ...metadata } = object.metadata;
  return { ...object, metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations } };
}

describe('LeaseCandidate between v1alpha1 and the hub', () => {
  test('any hub object survives a round trip through v1alpha1', () => {
    fc.assert(fc.property(hubs, (hub) => expect(wire(candidateFromV1alpha1(candidateToV1alpha1(hub)))).toEqual(wire(hub))));
  });

  test('any list of strategies survives a round trip through the hub', () => {
    fc.assert(
      fc.property(alphas, (alpha) => {
        const back = candidateToV1alpha1(candidateFromV1alpha1(alpha));
        expect(back.spec).toEqual(alpha.spec);
      }),
    );
  });

  test('conversion does not modify its argument', () => {
    fc.assert(
      fc.property(hubs, alphas, (hub, alpha) => {
        const before = JSON.stringify([hub, alpha]);
        candidateToV1alpha1(hub);
        candidateFromV1alpha1(alpha);
        expect(JSON.stringify([hub, alpha])).toBe(before);
      }),
    );
  });

  test('one strategy needs no annotation; several are kept in one that v1alpha1 does not show', () => {
    const metadata = { name: 'c' };
    const spec = { leaseName: 'l', binaryVersion: '1.36.0' };
    const one = candidateFromV1alpha1({ metadata, spec: { ...spec, preferredStrategies: ['a/b'] } });
    expect(one).toEqual({ metadata, spec: { ...spec, strategy: 'a/b' } });
    const several = { metadata, spec: { ...spec, preferredStrategies: ['a/b', 'c/d'] } };
    const hub = candidateFromV1alpha1(several);
    const annotations = { [PREFERRED_STRATEGIES]: '["a/b","c/d"]' };
    expect(hub).toEqual({ metadata: { name: 'c', annotations }, spec: { ...spec, strategy: 'a/b' } });
    expect(candidateToV1alpha1(hub)).toEqual(several);
  });

  test('a strategy that another version has changed since replaces the list', () => {
    const spec = { leaseName: 'l', binaryVersion: '1.36.0' };
    const stale = { metadata: { annotations: { [PREFERRED_STRATEGIES]: '["a/b","c/d"]' } }, spec: { ...spec, strategy: 'e/f' } };
    expect(preferredStrategies(stale)).toEqual(['e/f']);
    expect(candidateToV1alpha1(stale).spec).toEqual({ ...spec, preferredStrategies: ['e/f'] });
  });
});
