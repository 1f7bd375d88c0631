import { type ResourceVersionDefinition, NO_LIFE, defineResource } from '../../../registry/resource/resource-definition.js';
import { leaseTermColumns } from './lease-term.columns.js';
import { type LeaseTerm, leaseTermV1Schema } from './lease-term.schema.js';

/** The selectable fields of terms. The store looks up those of one lease or holder by an index. */
const LEASE_TERM_FIELDS: readonly string[] = [
  'spec.leaseName',
  'spec.leaseUID',
  'spec.holder',
  'spec.fencingToken',
  'status.phase',
  'status.reason',
  'status.lapsed',
  'metadata.namespace',
  'metadata.name',
];

function leaseTermFields({ spec, status }: LeaseTerm): Readonly<Record<string, string>> {
  return {
    'spec.leaseName': spec.leaseName,
    'spec.leaseUID': spec.leaseUID,
    'spec.holder': spec.holder,
    'spec.fencingToken': spec.fencingToken,
    'status.phase': status.phase,
    'status.reason': status.reason ?? '',
    'status.lapsed': String(status.lapsed ?? false),
  };
}

/** A term is named LEASE.TOKEN. */
function leaseTermKeyFields(name: string): Readonly<Record<string, string>> {
  const dot = name.lastIndexOf('.');
  return { 'spec.leaseName': name.slice(0, dot), 'spec.fencingToken': name.slice(dot + 1) };
}

/** LeaseTerm in history.coordination-apiserver.dev/v1: the hub's own shape. */
export const leaseTermV1: ResourceVersionDefinition<LeaseTerm> = { name: 'v1', schema: leaseTermV1Schema };

/** The history of leases (docs/terms.md). kube-apiserver has no such resource. */
export const leaseTermDefinition = defineResource<LeaseTerm>({
  group: 'history.coordination-apiserver.dev',
  kind: 'LeaseTerm',
  namespaced: true,
  shortNames: ['lt'],
  verbs: ['get', 'list', 'watch'],
  versions: [leaseTermV1],
  uncached: true,
  strategy: NO_LIFE,
  columns: leaseTermColumns,
  selectableFields: leaseTermFields,
  selectableFieldNames: LEASE_TERM_FIELDS,
  keyFields: leaseTermKeyFields,
});
