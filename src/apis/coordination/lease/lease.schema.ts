import { type ManagedFieldsEntry, objectFields } from '../../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, field, int32, microTime, string, struct } from '../../../apimachinery/schema/struct-type.js';

const V1 = 'io.k8s.api.coordination.v1';

const leaseSpecV1Schema = struct(`${V1}.LeaseSpec`, 'Who holds a lease, since when, and for how long.', [
  field('holderIdentity', 1, string(), 'optional', 'Identity of the current holder. Empty or absent if nobody holds the lease.'),
  field(
    'leaseDurationSeconds',
    2,
    int32(),
    'optional',
    'Seconds that candidates must wait after the last observed renewal before they take over the lease.',
  ),
  field('acquireTime', 3, microTime(), 'optional', 'When the current holder acquired the lease.'),
  field('renewTime', 4, microTime(), 'optional', 'When the current holder last renewed the lease.'),
  field('leaseTransitions', 5, int32(), 'optional', 'Number of times the lease has passed from one holder to another.'),
  field(
    'strategy',
    6,
    string('v1.CoordinatedLeaseStrategy'),
    'optional',
    'Strategy by which coordinated leader election chooses the holder. Absent if holders coordinate among themselves.',
  ),
  field(
    'preferredHolder',
    7,
    string(),
    'optional',
    'A better candidate, for which the holder should release the lease. May be set only together with strategy.',
  ),
]);

export const leaseV1Schema = struct(`${V1}.Lease`, 'A lock that expires unless its holder renews it.', [
  ...objectFields(),
  field('spec', 2, leaseSpecV1Schema, 'always', 'The state of the lease.'),
]);

const V1BETA1 = 'io.k8s.api.coordination.v1beta1';

/** coordination.k8s.io/v1beta1 LeaseSpec: the same fields as in v1. */
const leaseSpecV1beta1Schema = { ...leaseSpecV1Schema, openapiName: `${V1BETA1}.LeaseSpec` };

/** coordination.k8s.io/v1beta1 Lease. */
export const leaseV1beta1Schema = {
  ...leaseV1Schema,
  openapiName: `${V1BETA1}.Lease`,
  fields: leaseV1Schema.fields.map((field) => (field.name === 'spec' ? { ...field, type: leaseSpecV1beta1Schema } : field)),
};

/** The spec of a lease. Absent is not the same as '' or 0. Times are MicroTimes, such as `2006-01-02T15:04:05.000000Z`. */
export type LeaseSpec = TypeOf<typeof leaseSpecV1Schema>;

/** The hub type of leases; it has the shape of v1. */
export type Lease = TypeOf<typeof leaseV1Schema>;

/** The field manager of the procedures for SQL, whose renewTime is by the database's clock. */
const SQL_MANAGER = 'coordination-sql';

/**
 * When a lease expires, in milliseconds; undefined if it has no duration or no time, and so never does. renewTime is by the holder's clock,
 * and managedFields has the second in which the server received the renewal: the later one counts, unless the holder's clock is ahead by more
 * than the duration. Without renewTime the last write counts, since client-go's electors do not read renewTime: they take a lease that they
 * have seen unchanged for its duration (leaderelection.go, isLeaseValid).
 *
 * `receipt` is the end of that second for whoever decides who may take a lease, as `lease_expiry` in migrations/functions/lease-state.sql does, so that none is
 * taken too early; it is the beginning for whoever tells afterwards whether a lease had expired when it was taken.
 */
export function leaseExpiry({ metadata, spec }: Lease, receipt: 'beginning' | 'end'): number | undefined {
  const duration = (spec?.leaseDurationSeconds ?? NaN) * 1000;
  const renewed = Date.parse(spec?.renewTime ?? '');
  const times = (metadata.managedFields ?? [])
    .filter((entry) => !spec?.renewTime || ownsRenewTime(entry))
    .map(({ time }) => Date.parse(time ?? ''));
  const received = Math.max(...times.filter(Number.isFinite));
  const from = received + (receipt === 'end' ? 1000 : 0);
  const isPlausible = renewed > from && renewed <= received + 1000 + duration;
  const expiry = (isPlausible || !Number.isFinite(received) ? renewed : from) + duration;
  return Number.isFinite(expiry) ? expiry : undefined;
}

function ownsRenewTime({ manager, fieldsV1 }: ManagedFieldsEntry): boolean {
  const spec = fieldsV1?.['f:spec'] as Readonly<Record<string, unknown>> | null | undefined;
  return manager !== SQL_MANAGER && spec?.['f:renewTime'] !== undefined;
}
