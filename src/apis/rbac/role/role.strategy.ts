import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import { dropEmptyRules, requireVerbs, validatePolicyRules } from '../policy-rules.js';
import { validateRbacMetadata } from '../rbac-metadata.validation.js';
import type { Role } from './role.schema.js';

/** The strategy of roles (kubernetes pkg/registry/rbac/role). */
export const roleStrategy: Strategy<Role> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  prepareForCreate: dropEmptyRules,
  prepareForUpdate: dropEmptyRules,
  validate: validateRole,
  validateUpdate: validateRole,
};

function validateRole(role: Role): FieldError[] {
  return [...validateRbacMetadata(role, true), ...validatePolicyRules(role.rules, true), ...requireVerbs(role.rules)];
}
