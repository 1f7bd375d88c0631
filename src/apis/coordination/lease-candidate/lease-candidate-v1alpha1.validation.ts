import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import type { VersionValidation } from '../../../registry/resource/resource-definition.js';
import { OLDEST_EMULATION_VERSION, validateLeaseStrategy } from '../lease-strategy.validation.js';
import type { LeaseCandidateV1alpha1 } from './lease-candidate-v1alpha1.conversion.js';
import {
  readVersions,
  requireVersion,
  validateCandidateMetadata,
  validateLeaseName,
  validateLeaseNameUnchanged,
} from './lease-candidate.strategy.js';

/** The rules of v1alpha1, which differ from those of later versions (kubernetes 1.31 pkg/apis/coordination/validation). */
export const leaseCandidateV1alpha1Validation: VersionValidation = {
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
