import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { nameIsConfigMapKey } from '../../../apimachinery/validation/names.js';
import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import {
  type SemanticVersion,
  ZERO_VERSION,
  compareVersions,
  parseSemanticVersion,
} from '../../../apimachinery/version/semantic-version.js';
import {
  type ResourceVersionDefinition,
  type Strategy,
  type TableColumn,
  type VersionValidation,
  ageColumn,
  defineResource,
  nameColumn,
  textColumn,
} from '../../../registry/resource/resource-definition.js';
import { OLDEST_EMULATION_VERSION, validateLeaseStrategy } from '../lease-strategy.validation.js';
import { type LeaseCandidateV1alpha1, candidateFromV1alpha1, candidateToV1alpha1 } from './lease-candidate-v1alpha1.conversion.js';
import {
  type LeaseCandidate,
  type LeaseCandidateSpec,
  leaseCandidateV1alpha1Schema,
  leaseCandidateV1alpha2Schema,
  leaseCandidateV1beta1Schema,
} from './lease-candidate.schema.js';

/** The strategy of candidates (kubernetes pkg/registry/coordination/leasecandidate). */
const leaseCandidateStrategy: Strategy<LeaseCandidate> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: (next) => [...validateCandidateMetadata(next), ...validateLeaseCandidateSpec(next.spec)],
  validateUpdate: ({ spec }, { spec: old }) => [...validateLeaseCandidateSpec(spec), ...validateLeaseNameUnchanged(spec, old)],
};

const NOT_SEMANTIC = 'must be a valid semantic version';
const FOR_OLDEST = `must be specified when \`strategy\` is '${OLDEST_EMULATION_VERSION}'`;

/** A spec of any version: v1alpha1 differs from the others. */
type WithLeaseName = Pick<LeaseCandidateSpec, 'leaseName'>;

/** Both versions of a candidate; 0.0.0 if one is missing or cannot be parsed. */
interface CandidateVersions {
  readonly binary: SemanticVersion;
  readonly emulation: SemanticVersion;
  readonly errors: readonly FieldError[];
}

/** The rules for the metadata of a new candidate, in any version. */
function validateCandidateMetadata({ metadata }: KubeObject): readonly FieldError[] {
  return validateObjectMeta(metadata, { namespaced: true, validateName: nameIsConfigMapKey });
}

/** The rules of v1beta1 and v1alpha2 for a candidate's spec, in upstream's order (kubernetes pkg/apis/coordination/validation). */
function validateLeaseCandidateSpec(spec: LeaseCandidateSpec): FieldError[] {
  const { emulation, errors } = readVersions(spec, true);
  const all = [...validateLeaseName(spec), ...errors];
  const { strategy } = spec;
  if (!strategy) return [...all, required('spec.strategy')];
  if (strategy === OLDEST_EMULATION_VERSION) all.push(...requireVersion('spec.emulationVersion', emulation));
  return [...all, ...validateLeaseStrategy(strategy)];
}

function validateLeaseName({ leaseName }: WithLeaseName): FieldError[] {
  return leaseName ? [] : [required('spec.leaseName')];
}

/** The lease name is immutable. */
function validateLeaseNameUnchanged({ leaseName }: WithLeaseName, old: WithLeaseName): FieldError[] {
  return leaseName === old.leaseName ? [] : [invalid('spec.leaseName', leaseName, 'field is immutable')];
}

/** Parses the versions and collects their errors. */
function readVersions(
  spec: Partial<Pick<LeaseCandidateSpec, 'binaryVersion' | 'emulationVersion'>>,
  binaryRequired: boolean,
): CandidateVersions {
  const { binaryVersion = '', emulationVersion = '' } = spec;
  const errors: FieldError[] = [];
  const read = (field: string, text: string): SemanticVersion => {
    const version = text === '' ? ZERO_VERSION : parseSemanticVersion(text);
    if (!version) errors.push(invalid(field, text, NOT_SEMANTIC));
    return version ?? ZERO_VERSION;
  };
  const emulation = read('spec.emulationVersion', emulationVersion);
  if (binaryVersion === '' && binaryRequired) errors.push(required('spec.binaryVersion'));
  const binary = read('spec.binaryVersion', binaryVersion);
  if (binaryVersion !== '' && emulationVersion !== '' && compareVersions(binary, emulation) < 0) {
    errors.push(invalid('spec.binaryVersion', binaryVersion, 'must be greater than or equal to `emulationVersion`'));
  }
  return { binary, emulation, errors };
}

/** OldestEmulationVersion needs versions; 0.0.0 counts as missing. */
function requireVersion(field: string, version: SemanticVersion): FieldError[] {
  return compareVersions(version, ZERO_VERSION) === 0 ? [required(field, FOR_OLDEST)] : [];
}

/** The rules of v1alpha1, which differ from those of later versions (kubernetes 1.31 pkg/apis/coordination/validation). */
const leaseCandidateV1alpha1Validation: VersionValidation = {
  validate: (next: LeaseCandidateV1alpha1) => [...validateCandidateMetadata(next), ...validateSpec(next.spec)],
  validateUpdate: ({ spec }: LeaseCandidateV1alpha1, { spec: old }: LeaseCandidateV1alpha1) => [
    ...validateSpec(spec),
    ...validateLeaseNameUnchanged(spec, old),
  ],
};

function validateSpec(spec: LeaseCandidateV1alpha1['spec']): FieldError[] {
  const { binary, emulation, errors } = readVersions(spec, false);
  const strategies = (spec.preferredStrategies ?? []).flatMap((strategy, at) => [
    ...(strategy === OLDEST_EMULATION_VERSION
      ? [...requireVersion('spec.binaryVersion', binary), ...requireVersion('spec.emulationVersion', emulation)]
      : []),
    ...validateLeaseStrategy(strategy, `spec.preferredStrategies[${at}].strategy`),
  ]);
  return [...validateLeaseName(spec), ...errors, ...strategies];
}

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
