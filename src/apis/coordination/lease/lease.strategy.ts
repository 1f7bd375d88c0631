import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-validator.js';
import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import type { Lease } from './lease.js';
import { leaseTermChange } from './lease-term-change.js';
import { renewalMayWait } from './renewal-may-wait.js';
import { validateLeaseSpec } from './lease.validation.js';

const METADATA = { namespaced: true, validateName: nameIsDnsSubdomain };

/**
 * The strategy of leases (kubernetes pkg/registry/coordination/lease). Coordinated leader election is on: strategy and preferredHolder
 * are kept, whereas upstream drops them unless its feature gate is set.
 */
export const leaseStrategy: Strategy<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validate: ({ metadata, spec }) => [...validateObjectMeta(metadata, METADATA), ...validateLeaseSpec(spec ?? {})],
  termChange: leaseTermChange,
  mayWaitMs: renewalMayWait,
  validateUpdate: ({ spec }) => validateLeaseSpec(spec ?? {}),
};
