import fc from 'fast-check';

/** Random Leases in canonical form, for property tests. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('__proto__', 'constructor', '<&>\u2028', 'yes', '007', '😀\uffff'),
);
const nonEmpty = text.filter((value) => value !== '');
const seconds = fc.integer({ min: -62135596800 + 1, max: 253402300799 });
const time = seconds.map((value) => new Date(value * 1000).toISOString().replace('.000Z', 'Z'));
const microTime = fc
  .tuple(seconds, fc.integer({ min: 0, max: 999999 }))
  .map(([value, micros]) => new Date(value * 1000).toISOString().replace('.000Z', `.${String(micros).padStart(6, '0')}Z`));
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
/** Integers on the fast path: up to 15 digits. */
const int64 = fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 });
const nonZero = int64.filter((value) => value !== 0);
const some = { requiredKeys: [] as [] };

/** A map of strings; an empty one is equivalent to an absent one. */
const stringMap = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }).map((entries) => Object.fromEntries(entries));

const owner = fc.record(
  { apiVersion: text, kind: text, name: text, uid: text, controller: fc.boolean(), blockOwnerDeletion: fc.boolean() },
  { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
);
const fieldsV1 = fc.dictionary(fc.constantFrom('f:spec', 'f:metadata', '.', 'k:{"uid":"<x>"}'), fc.constant({}), { noNullPrototype: true });
const managedFields = fc.record(
  { manager: nonEmpty, operation: fc.constantFrom('Update', 'Apply'), time, fieldsV1, subresource: nonEmpty },
  some,
);
const metadata = fc.record(
  {
    name: nonEmpty,
    namespace: nonEmpty,
    uid: nonEmpty,
    resourceVersion: nonEmpty,
    generation: nonZero,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: int64,
    labels: stringMap,
    annotations: stringMap,
    ownerReferences: fc.array(owner, { minLength: 1, maxLength: 3 }),
    finalizers: fc.array(text, { minLength: 1, maxLength: 3 }),
    managedFields: fc.array(managedFields, { minLength: 1, maxLength: 2 }),
  },
  some,
);
const spec = fc.record(
  {
    holderIdentity: text,
    leaseDurationSeconds: int32,
    acquireTime: microTime,
    renewTime: microTime,
    leaseTransitions: int32,
    strategy: text,
    preferredHolder: text,
  },
  some,
);

/** Canonical leases for property tests. */
export const leaseArbitrary = fc.record({
  kind: fc.constant('Lease'),
  apiVersion: fc.constant('coordination.k8s.io/v1'),
  metadata,
  spec,
});
