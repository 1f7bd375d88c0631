import { humanDuration } from '../../../apimachinery/go/go-duration.js';
import { printable } from '../../../apimachinery/text/printable.js';
import {
  type ResourceVersionDefinition,
  type TableColumn,
  NO_LIFE,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { type LeaseTerm, leaseTermV1Schema } from './lease-term.schema.js';

const column = (name: string, priority: number, description: string, cell: TableColumn<LeaseTerm>['cell']): TableColumn<LeaseTerm> =>
  // A bookmark has only metadata.
  textColumn(name, description, (term, now) => ('spec' in term ? cell(term, now) : ''), priority);

/** The columns that kubectl prints for terms. */
export const leaseTermColumns: readonly TableColumn<LeaseTerm>[] = [
  { ...nameColumn, description: 'Name of the term: that of its lease, and the fencing token.' },
  column('Lease', 0, 'Name of the lease.', ({ spec }) => spec.leaseName),
  column('Holder', 0, 'Who held it.', ({ spec }) => printable(spec.holder)),
  column('Phase', 0, 'Held or Ended; of a holder that is late: Held, lapsed.', ({ status }) =>
    status.lapsed && status.phase === 'Held' ? 'Held, lapsed' : status.phase,
  ),
  column('Reason', 0, 'Why the term ended.', ({ status }) => status.reason ?? ''),
  column('Since', 0, 'How long ago it began.', ({ spec }, now) => humanDuration(now - Date.parse(spec.from ?? ''))),
  column('Duration', 0, 'How long it lasted, or has lasted so far.', ({ spec, status }, now) =>
    humanDuration((status.until ? Date.parse(status.until) : now) - Date.parse(spec.from ?? '')),
  ),
  column('From', 1, 'When it began.', ({ spec }) => spec.from ?? ''),
  column('Until', 1, 'When it ended.', ({ status }) => status.until ?? ''),
  column('Lapsed', 1, 'When the time of the holder was over for the last time.', ({ status }) => status.lapsedAt ?? ''),
  column('Lapses', 1, 'How many times it was over.', ({ status }) => String(status.lapses ?? 0)),
];

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
