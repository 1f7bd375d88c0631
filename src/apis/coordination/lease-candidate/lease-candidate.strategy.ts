import type { Strategy } from '../../../registry/resource/strategy.js';
import type { LeaseCandidate } from './lease-candidate.js';
import { validateCandidateMetadata, validateLeaseCandidateSpec, validateLeaseNameUnchanged } from './lease-candidate.validation.js';

/** The strategy of candidates (kubernetes pkg/registry/coordination/leasecandidate). */
export const leaseCandidateStrategy: Strategy<LeaseCandidate> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validate: (next) => [...validateCandidateMetadata(next), ...validateLeaseCandidateSpec(next.spec)],
  validateUpdate: ({ spec }, { spec: old }) => [...validateLeaseCandidateSpec(spec), ...validateLeaseNameUnchanged(spec, old)],
};
