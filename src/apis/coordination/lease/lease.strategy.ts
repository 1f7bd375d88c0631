import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-validator.js';
import type { Strategy } from '../../../registry/strategy.js';
import type { Lease } from './lease.js';
import { validateLeaseSpec } from './lease.validation.js';

/**
 * The life of leases (kubernetes pkg/registry/coordination/lease). Coordinated leader election is on: strategy and preferredHolder
 * are kept, where the original drops them unless its feature gate is set.
 */
export const leaseStrategy: Strategy<Lease> = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validate: ({ spec }) => validateLeaseSpec(spec ?? {}),
  validateUpdate: ({ spec }) => validateLeaseSpec(spec ?? {}),
};
