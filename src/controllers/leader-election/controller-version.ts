import type { LeaseCandidate } from '../../apis/coordination/lease-candidate/lease-candidate.js';
import { leaseCandidateV1beta1 } from '../../apis/coordination/lease-candidate/lease-candidate.resource.js';
import type { ResourceVersionDefinition } from '../../registry/resource-definition.js';

/**
 * How the controller writes candidates: in the shape of v1beta1 without its rules. It changes nothing but pingTime, and a candidate
 * that another version took, without a strategy for one, must be asked too.
 */
export const pingVersion: ResourceVersionDefinition<LeaseCandidate> = {
  ...leaseCandidateV1beta1,
  validation: { validate: () => [], validateUpdate: () => [] },
};
