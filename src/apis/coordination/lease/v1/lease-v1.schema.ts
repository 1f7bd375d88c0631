import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { field, int32, microTime, string, struct, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';

const V1 = 'io.k8s.api.coordination.v1';

/** coordination.k8s.io/v1 LeaseSpec. */
export const leaseSpecV1Schema = struct({
  goName: 'LeaseSpec',
  openapiName: `${V1}.LeaseSpec`,
  description: 'Who holds a lease, since when and for how long.',
  fields: [
    field('holderIdentity', 1, string(), 'optional', 'HolderIdentity names who holds the lease now. Empty or absent: nobody does.'),
    field(
      'leaseDurationSeconds',
      2,
      int32(),
      'optional',
      'Seconds that candidates wait after the last renewal they have seen before they may take the lease by force.',
    ),
    field('acquireTime', 3, microTime(), 'optional', 'When the present holder got the lease.'),
    field('renewTime', 4, microTime(), 'optional', 'When the present holder last renewed the lease.'),
    field('leaseTransitions', 5, int32(), 'optional', 'How often the lease has passed from one holder to another.'),
    field(
      'strategy',
      6,
      string('v1.CoordinatedLeaseStrategy'),
      'optional',
      'How a leader is chosen among candidates by coordinated leader election. Absent: holders agree among themselves.',
    ),
    field(
      'preferredHolder',
      7,
      string(),
      'optional',
      'A better candidate, for which the holder should give the lease up. May only be set if strategy is.',
    ),
  ],
});

/** coordination.k8s.io/v1 Lease. */
export const leaseV1Schema = struct({
  goName: 'Lease',
  openapiName: `${V1}.Lease`,
  description: 'A lease: a lock with an expiry that its holder keeps renewing.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field('spec', 2, leaseSpecV1Schema, 'always', 'The state of the lease.'),
  ],
});
