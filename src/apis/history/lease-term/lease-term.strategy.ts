import type { Strategy } from '../../../registry/resource/strategy.js';
import type { LeaseTerm } from './lease-term.js';

/** Terms are written by the store alone: there is no verb that any of these hooks belongs to. */
export const leaseTermStrategy: Strategy<LeaseTerm> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate() {},
  prepareForUpdate() {},
  validate: () => [],
  validateUpdate: () => [],
};
