import { type FieldError, invalid, required } from '../../../apimachinery/errors/field-error.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { nameIsConfigMapKey } from '../../../apimachinery/validation/names.js';
import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import {
  type SemanticVersion,
  compareVersions,
  parseSemanticVersion,
  ZERO_VERSION,
} from '../../../apimachinery/version/semantic-version.js';
import type { Strategy } from '../../../registry/resource/resource-definition.js';
import { OLDEST_EMULATION_VERSION, validateLeaseStrategy } from '../lease-strategy.validation.js';
import type { LeaseCandidate, LeaseCandidateSpec } from './lease-candidate.schema.js';

/** The strategy of candidates (kubernetes pkg/registry/coordination/leasecandidate). */
export const leaseCandidateStrategy: Strategy<LeaseCandidate> = {
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
export interface CandidateVersions {
  readonly binary: SemanticVersion;
  readonly emulation: SemanticVersion;
  readonly errors: readonly FieldError[];
}

/** The rules for the metadata of a new candidate, in any version. */
export function validateCandidateMetadata({ metadata }: KubeObject): readonly FieldError[] {
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

export function validateLeaseName({ leaseName }: WithLeaseName): FieldError[] {
  return leaseName ? [] : [required('spec.leaseName')];
}

/** The lease name is immutable. */
export function validateLeaseNameUnchanged({ leaseName }: WithLeaseName, old: WithLeaseName): FieldError[] {
  return leaseName === old.leaseName ? [] : [invalid('spec.leaseName', leaseName, 'field is immutable')];
}

/** Parses the versions and collects their errors. */
export function readVersions(
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
export function requireVersion(field: string, version: SemanticVersion): FieldError[] {
  return compareVersions(version, ZERO_VERSION) === 0 ? [required(field, FOR_OLDEST)] : [];
}
