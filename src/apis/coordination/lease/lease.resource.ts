import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import { leaseColumns } from './lease.columns.js';
import type { Lease } from './lease.js';
import { leaseStrategy } from './lease.strategy.js';
import { leaseV1Schema } from './v1/lease-v1.schema.js';
import { leaseV1beta1Schema } from './v1beta1/lease-v1beta1.schema.js';

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

export const leaseDefinition: ResourceDefinition<Lease> = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  singular: 'lease',
  kind: 'Lease',
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [leaseV1],
  otherVersions: [leaseV1beta1],
  storageVersion: leaseV1,
  strategy: leaseStrategy,
  columns: leaseColumns,
};
