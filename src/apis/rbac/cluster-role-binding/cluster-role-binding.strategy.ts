import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import { isPathSegmentName } from '../../../apimachinery/validation/path-segment-name.js';
import type { Strategy } from '../../../registry/strategy.js';
import { dropEmptySubjects } from '../binding-defaults.js';
import { validateBinding, validateRoleRefUpdate } from '../role-binding.validation.js';
import type { ClusterRoleBinding } from './cluster-role-binding.js';

/** The life of cluster role bindings (kubernetes pkg/registry/rbac/clusterrolebinding). */
export const clusterRoleBindingStrategy: Strategy<ClusterRoleBinding> = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  prepareForCreate: dropEmptySubjects,
  prepareForUpdate: dropEmptySubjects,
  validate: ({ roleRef, subjects = [] }) => validateBinding(roleRef, subjects, false),
  validateUpdate: (next, old) => [
    ...validateObjectMeta(next.metadata, { namespaced: false, validateName: isPathSegmentName }),
    ...validateBinding(next.roleRef, next.subjects ?? [], false),
    ...validateRoleRefUpdate(next.roleRef, old.roleRef),
  ],
};
