import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { forbidden, invalid } from '../../../apimachinery/errors/field-error.js';
import { validateLeaseStrategy } from '../lease-strategy.validation.js';
import type { LeaseSpec } from './lease.js';

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
