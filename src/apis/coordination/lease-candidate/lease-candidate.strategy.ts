import { nameIsConfigMapKey } from '../../../apimachinery/validation/name-validator.js';
import type { Strategy } from '../../../registry/strategy.js';
import type { LeaseCandidate } from './lease-candidate.js';
import { validateLeaseCandidateSpec, validateLeaseNameUnchanged } from './lease-candidate.validation.js';

/** The life of candidates (kubernetes pkg/registry/coordination/leasecandidate). */
export const leaseCandidateStrategy: Strategy<LeaseCandidate> = {
  validateName: nameIsConfigMapKey,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validate: ({ spec = {} }) => validateLeaseCandidateSpec(spec),
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [...validateLeaseCandidateSpec(spec), ...validateLeaseNameUnchanged(spec, old)],
};
