import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import { NO_LIFE } from '../../../registry/resource/no-life.js';
import { leaseTermColumns } from './lease-term.columns.js';
import { LEASE_TERM_FIELDS, leaseTermFields, leaseTermKeyFields } from './lease-term.fields.js';
import type { LeaseTerm } from './lease-term.js';
import { leaseTermV1Schema } from './v1/lease-term-v1.schema.js';

/** LeaseTerm in history.coordination-apiserver.dev/v1: the hub's own shape. */
export const leaseTermV1: ResourceVersionDefinition<LeaseTerm> = { name: 'v1', schema: leaseTermV1Schema };

/** The history of leases (docs/terms.md). kube-apiserver has no such resource. */
export const leaseTermDefinition: ResourceDefinition<LeaseTerm> = {
  group: 'history.coordination-apiserver.dev',
  resource: 'leaseterms',
  singular: 'leaseterm',
  kind: 'LeaseTerm',
  namespaced: true,
  shortNames: ['lt'],
  categories: [],
  verbs: ['get', 'list', 'watch'],
  optIn: true,
  versions: [leaseTermV1],
  storageVersion: leaseTermV1,
  uncached: true,
  newestFirstOf: 'spec.leaseName',
  strategy: NO_LIFE,
  columns: leaseTermColumns,
  selectableFields: leaseTermFields,
  selectableFieldNames: LEASE_TERM_FIELDS,
  keyFields: leaseTermKeyFields,
};
