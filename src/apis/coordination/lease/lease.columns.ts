import { ageColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource/resource-definition.js';
import type { Lease } from './lease.js';

/** The columns that kubectl prints for leases. The description is upstream's, since clients show it. */
export const leaseColumns: readonly TableColumn<Lease>[] = [
  nameColumn,
  {
    name: 'Holder',
    type: 'string',
    format: '',
    description:
      'holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder ' +
      'identity must be equal to the elected LeaseCandidate.metadata.name field.',
    priority: 0,
    cell: ({ spec }) => spec?.holderIdentity ?? '',
  },
  ageColumn,
];
