import { type FieldError, forbidden, invalid } from '../../../apimachinery/errors/field-error.js';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/names.js';
import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import type { Strategy } from '../../../registry/resource/resource-definition.js';
import { validateLeaseStrategy } from '../lease-strategy.validation.js';
import { leaseTermChange } from './lease-term-change.js';
import type { Lease, LeaseSpec } from './lease.schema.js';
import { renewalMayWait } from './lease-renewal.js';

const METADATA = { namespaced: true, validateName: nameIsDnsSubdomain };

/**
 * The strategy of leases (kubernetes pkg/registry/coordination/lease). Coordinated leader election is on: strategy and preferredHolder
 * are kept, whereas upstream drops them unless its feature gate is set.
 */
export const leaseStrategy: Strategy<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: ({ metadata, spec }) => [...validateObjectMeta(metadata, METADATA), ...validateLeaseSpec(spec ?? {})],
  sequelOf: leaseTermChange,
  mayWaitMs: renewalMayWait,
  validateUpdate: ({ spec }) => validateLeaseSpec(spec ?? {}),
};

/** The rules for a lease's spec, the same for new and changed leases (kubernetes pkg/apis/coordination/validation). */
export function validateLeaseSpec(spec: LeaseSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder } = spec;
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
  }
  if (leaseTransitions !== undefined && leaseTransitions < 0) {
    errors.push(invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0'));
  }
  if (strategy !== undefined) errors.push(...validateLeaseStrategy(strategy));
  if (preferredHolder && !strategy) {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
  }
  return errors;
}
