import type { Strategy } from '../../../registry/resource/strategy.js';
import { dropEmptySubjects } from '../binding-object.js';
import { validateBinding, validateBindingUpdate } from '../role-binding.validation.js';
import type { RoleBinding } from './role-binding.schema.js';

/** The strategy of role bindings (kubernetes pkg/registry/rbac/rolebinding). */
export const roleBindingStrategy: Strategy<RoleBinding> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  prepareForCreate: dropEmptySubjects,
  prepareForUpdate: dropEmptySubjects,
  validate: (next) => validateBinding(next, true),
  validateUpdate: (next, old) => validateBindingUpdate(next, old, true),
};
