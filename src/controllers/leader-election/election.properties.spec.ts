import fc from 'fast-check';
import { compileEncoder } from '../../apimachinery/codec/json/json-encoder.js';
import { type Lease, leaseV1Schema } from '../../apis/coordination/lease/lease.schema.js';
import { PREFERRED_STRATEGIES } from '../../apis/coordination/lease-candidate/lease-candidate-v1alpha1.conversion.js';
import { leaseCandidateV1beta1Schema } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import { readCandidate } from './candidate-informer.js';
import { changedLease, electionStep, newLease } from './election.js';

const NOW = Date.parse('2026-01-02T03:04:05.678Z') * 1000;
const OLDEST = 'OldestEmulationVersion';

const text = (...some: string[]) => fc.oneof(fc.constantFrom('', 'a', ...some), fc.string({ unit: 'binary', maxLength: 8 }));
const time = fc.constantFrom(
  '0001-01-01T00:00:00.000000Z',
  '9999-12-31T23:59:59.999999Z',
  '0000-01-01T00:00:00.000000Z',
  '2026-01-02T03:04:05.000001Z',
  '2026-01-02T03:04:06.000000Z',
  '2026-01-02T02:50:05.000000Z',
);
const version = text('1.36.0', '0.0.0', '1.35.0-rc.1+b', '18446744073709551615.0.0', '18446744073709551616.0.0', 'v1');
const strategy = text(OLDEST, 'x/y');
const count = fc.constantFrom(0, -1, 1, 15, 2147483647, -2147483648);
const annotation = fc.oneof(
  text('[', '["a"', '[""]', 'null'),
  fc.array(fc.oneof(strategy, fc.constant(null)), { maxLength: 4 }).map((list) => JSON.stringify(list)),
);
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(shape, { requiredKeys: [] });

const candidates = fc.array(
  some({
    metadata: some({ name: text('b'), annotations: fc.dictionary(fc.constant(PREFERRED_STRATEGIES), annotation) }),
    spec: some({ leaseName: text(), binaryVersion: version, emulationVersion: version, strategy, renewTime: time, pingTime: time }),
  }),
  { maxLength: 4 },
);
const leases = some({
  spec: some({
    holderIdentity: text(),
    leaseDurationSeconds: count,
    leaseTransitions: count,
    acquireTime: time,
    renewTime: time,
    strategy,
    preferredHolder: text(),
  }),
});

/** An object as the controller sees it: written to storage and read again. */
const stored = (schema: Parameters<typeof compileEncoder>[0], object: object) => compileEncoder(schema)(object);

test('any candidates and leases lead to a step whose result can be stored', () => {
  fc.assert(
    fc.property(candidates, fc.option(leases, { nil: undefined }), (given, lease) => {
      const known = given.map((candidate, at) =>
        readCandidate({
          key: { resource: 'leasecandidates', namespace: 'ns', name: String(at) },
          uid: '',
          revision: at + 1,
          terminating: false,
          data: stored(leaseCandidateV1beta1Schema, { ...candidate, metadata: { ...candidate.metadata } }),
        }),
      );
      const spec = lease && ((JSON.parse(stored(leaseV1Schema, lease)) as Lease).spec ?? {});
      const step = electionStep(
        known.map(({ candidate }) => candidate),
        spec,
        NOW,
      );
      if (step.kind !== 'elect') return;
      const next = spec ? changedLease(spec, step.election, NOW) : newLease(step.election, NOW);
      if (next) expect(JSON.parse(stored(leaseV1Schema, { spec: next }))).toMatchObject({ spec: { strategy: step.election.strategy } });
    }),
    { numRuns: 2000 },
  );
});
