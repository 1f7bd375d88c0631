import { ageColumn, nameColumn } from '../../../registry/metadata-columns.js';
import type { TableColumn } from '../../../registry/resource-definition.js';
import type { LeaseCandidate, LeaseCandidateSpec } from './lease-candidate.js';

/** What kubectl prints of candidates. The original looks the descriptions of versions up by a wrong key, so they are empty. */
export const leaseCandidateColumns: readonly TableColumn<LeaseCandidate>[] = [
  nameColumn,
  specColumn(
    'LeaseName',
    'leaseName',
    'LeaseName is the name of the lease for which this candidate is contending. This field is immutable.',
  ),
  specColumn('BinaryVersion', 'binaryVersion', ''),
  specColumn('EmulationVersion', 'emulationVersion', ''),
  ageColumn,
];

function specColumn(name: string, field: keyof LeaseCandidateSpec, description: string): TableColumn<LeaseCandidate> {
  return { name, type: 'string', format: '', description, priority: 0, cell: ({ spec }) => spec?.[field] ?? '' };
}
