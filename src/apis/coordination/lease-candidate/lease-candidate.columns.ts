import { ageColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource/resource-definition.js';
import type { LeaseCandidate, LeaseCandidateSpec } from './lease-candidate.js';

/** The columns that kubectl prints for candidates. Upstream looks up the descriptions of versions by a wrong key, so they are empty. */
export const leaseCandidateColumns: readonly TableColumn<LeaseCandidate>[] = [
  nameColumn,
  specColumn(
    'LeaseName',
    'leaseName',
    'leaseName is the name of the lease for which this candidate is contending. This field is immutable.',
  ),
  specColumn('BinaryVersion', 'binaryVersion', ''),
  specColumn('EmulationVersion', 'emulationVersion', ''),
  ageColumn,
];

function specColumn(name: string, field: keyof LeaseCandidateSpec, description: string): TableColumn<LeaseCandidate> {
  return { name, type: 'string', format: '', description, priority: 0, cell: ({ spec }) => spec?.[field] ?? '' };
}
