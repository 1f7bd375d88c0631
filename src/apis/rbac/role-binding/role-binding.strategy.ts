import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import { isPathSegmentName } from '../../../apimachinery/validation/path-segment-name.js';
import type { Strategy } from '../../../registry/strategy.js';
import { dropEmptySubjects } from '../binding-defaults.js';
import { validateBinding, validateRoleRefUpdate } from '../role-binding.validation.js';
import type { RoleBinding } from './role-binding.js';

/** The life of role bindings (kubernetes pkg/registry/rbac/rolebinding). */
export const roleBindingStrategy: Strategy<RoleBinding> = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  prepareForCreate: dropEmptySubjects,
  prepareForUpdate: dropEmptySubjects,
  validate: ({ roleRef, subjects = [] }) => validateBinding(roleRef, subjects, true),
  validateUpdate: (next, old) => [
    ...validateObjectMeta(next.metadata, { namespaced: true, validateName: isPathSegmentName }),
    ...validateBinding(next.roleRef, next.subjects ?? [], true),
    ...validateRoleRefUpdate(next.roleRef, old.roleRef),
  ],
};
