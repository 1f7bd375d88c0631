import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import { isPathSegmentName } from '../../../apimachinery/validation/path-segment-name.js';
import type { Strategy } from '../../../registry/strategy.js';
import { dropEmptyRules } from '../empty-rules.js';
import { validatePolicyRules } from '../policy-rule.validation.js';
import type { Role } from './role.js';

/** The life of roles (kubernetes pkg/registry/rbac/role). */
export const roleStrategy: Strategy<Role> = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  prepareForCreate: dropEmptyRules,
  prepareForUpdate: dropEmptyRules,
  validate: ({ rules }) => validatePolicyRules(rules, true),
  validateUpdate: (next) => [
    ...validateObjectMeta(next.metadata, { namespaced: true, validateName: isPathSegmentName }),
    ...validatePolicyRules(next.rules, true),
  ],
};
