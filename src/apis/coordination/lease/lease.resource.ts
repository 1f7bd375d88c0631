import {
  type ResourceVersionDefinition,
  type TableColumn,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { type Lease, leaseV1beta1Schema, leaseV1Schema } from './lease.schema.js';
import { leaseStrategy } from './lease.strategy.js';

/** The columns that kubectl prints for leases. The description is upstream's, since clients show it. */
const leaseColumns: readonly TableColumn<Lease>[] = [
  nameColumn,
  textColumn(
    'Holder',
    'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder ' +
      'identity must be equal to the elected LeaseCandidate.metadata.name field.',
    ({ spec }) => spec?.holderIdentity ?? '',
  ),
  ageColumn,
];

const EXAMPLE = {
  metadata: { name: 'example' },
  spec: {
    holderIdentity: 'host-1',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-01T12:00:00.000000Z',
    renewTime: '2026-01-01T12:00:10.000000Z',
    leaseTransitions: 0,
  },
};

/** Lease in coordination.k8s.io/v1: the hub's own shape. */
export const leaseV1: ResourceVersionDefinition<Lease> = {
  name: 'v1',
  schema: leaseV1Schema,
  example: EXAMPLE,
};

/** Lease in coordination.k8s.io/v1beta1, for clients older than Kubernetes 1.22; also the hub's shape. Not served by default. */
export const leaseV1beta1: ResourceVersionDefinition<Lease> = {
  name: 'v1beta1',
  schema: leaseV1beta1Schema,
  example: EXAMPLE,
  deprecation: 'coordination.k8s.io/v1beta1 Lease is deprecated in v1.19+, unavailable in v1.22+; use coordination.k8s.io/v1 Lease',
};

export const leaseDefinition = defineResource<Lease>({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  namespaced: true,
  versions: [leaseV1],
  otherVersions: [leaseV1beta1],
  strategy: leaseStrategy,
  columns: leaseColumns,
});
