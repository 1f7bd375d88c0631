import type { Strategy } from '../../../registry/resource/strategy.js';
import { dropEmptySubjects } from '../binding-object.js';
import { validateBinding, validateBindingUpdate } from '../role-binding.validation.js';
import type { ClusterRoleBinding } from './cluster-role-binding.schema.js';

/** The strategy of cluster role bindings (kubernetes pkg/registry/rbac/clusterrolebinding). */
export const clusterRoleBindingStrategy: Strategy<ClusterRoleBinding> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  prepareForCreate: dropEmptySubjects,
  prepareForUpdate: dropEmptySubjects,
  validate: (next) => validateBinding(next, false),
  validateUpdate: (next, old) => validateBindingUpdate(next, old, false),
};
