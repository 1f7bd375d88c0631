import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.schema.js';
import { leaseCandidateV1beta1 } from '../../apis/coordination/lease-candidate/lease-candidate.resource.js';
import type { ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';

/**
 * The version in which the reconciler writes candidates: v1beta1 without validation. It changes only pingTime, and must be able to ping
 * candidates that are valid only in another version (no strategy).
 */
export const pingVersion: ResourceVersionDefinition<LeaseCandidate> = {
  ...leaseCandidateV1beta1,
  validation: { validate: () => [], validateUpdate: () => [] },
};
