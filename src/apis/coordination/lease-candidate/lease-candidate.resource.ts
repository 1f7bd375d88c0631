import {
  type ResourceVersionDefinition,
  type TableColumn,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { candidateFromV1alpha1, candidateToV1alpha1 } from './lease-candidate-v1alpha1.conversion.js';
import { leaseCandidateV1alpha1Validation } from './lease-candidate-v1alpha1.validation.js';
import {
  type LeaseCandidate,
  type LeaseCandidateSpec,
  leaseCandidateV1alpha1Schema,
  leaseCandidateV1alpha2Schema,
  leaseCandidateV1beta1Schema,
} from './lease-candidate.schema.js';
import { leaseCandidateStrategy } from './lease-candidate.strategy.js';

/** The columns that kubectl prints for candidates. Upstream looks up the descriptions of versions by a wrong key, so they are empty. */
const leaseCandidateColumns: readonly TableColumn<LeaseCandidate>[] = [
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
  return textColumn(name, description, ({ spec }) => spec?.[field] ?? '');
}

const EXAMPLE = {
  leaseName: 'example',
  renewTime: '2026-01-01T12:00:00.000000Z',
  binaryVersion: '1.37.2',
  emulationVersion: '1.37.0',
};

/** LeaseCandidate in coordination.k8s.io/v1beta1: the hub's own shape. */
export const leaseCandidateV1beta1: ResourceVersionDefinition<LeaseCandidate> = {
  name: 'v1beta1',
  schema: leaseCandidateV1beta1Schema,
  example: { metadata: { name: 'example' }, spec: { ...EXAMPLE, strategy: 'OldestEmulationVersion' } },
  deprecation: 'coordination.k8s.io/v1beta1 LeaseCandidate is deprecated in v1.36+, unavailable in v1.39+',
};

/** LeaseCandidate in coordination.k8s.io/v1alpha2: the hub's shape too. */
export const leaseCandidateV1alpha2: ResourceVersionDefinition<LeaseCandidate> = {
  name: 'v1alpha2',
  schema: leaseCandidateV1alpha2Schema,
  example: { metadata: { name: 'example' }, spec: { ...EXAMPLE, strategy: 'OldestEmulationVersion' } },
  deprecation: 'coordination.k8s.io/v1alpha2 LeaseCandidate is deprecated in v1.35+, unavailable in v1.38+',
};

/** LeaseCandidate in coordination.k8s.io/v1alpha1: a list of strategies, and separate rules. */
export const leaseCandidateV1alpha1: ResourceVersionDefinition<LeaseCandidate> = {
  name: 'v1alpha1',
  schema: leaseCandidateV1alpha1Schema,
  example: { metadata: { name: 'example' }, spec: { ...EXAMPLE, preferredStrategies: ['OldestEmulationVersion'] } },
  toHub: candidateFromV1alpha1,
  fromHub: candidateToV1alpha1,
  validation: leaseCandidateV1alpha1Validation,
};

export const leaseCandidateDefinition = defineResource<LeaseCandidate>({
  group: 'coordination.k8s.io',
  kind: 'LeaseCandidate',
  namespaced: true,
  versions: [leaseCandidateV1beta1, leaseCandidateV1alpha2, leaseCandidateV1alpha1],
  strategy: leaseCandidateStrategy,
  columns: leaseCandidateColumns,
});
