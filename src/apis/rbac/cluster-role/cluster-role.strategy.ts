import { validateObjectMeta } from '../../../apimachinery/validation/object-meta.js';
import { isPathSegmentName } from '../../../apimachinery/validation/path-segment-name.js';
import type { Strategy } from '../../../registry/strategy.js';
import { dropEmptyRules } from '../empty-rules.js';
import type { ClusterRole } from './cluster-role.js';
import { validateClusterRole } from './cluster-role.validation.js';

/** The life of cluster roles (kubernetes pkg/registry/rbac/clusterrole). */
export const clusterRoleStrategy: Strategy<ClusterRole> = {
  validateName: isPathSegmentName,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  prepareForCreate: dropEmptyRules,
  prepareForUpdate: dropEmptyRules,
  validate: validateClusterRole,
  validateUpdate: (next) => [
    ...validateObjectMeta(next.metadata, { namespaced: false, validateName: isPathSegmentName }),
    ...validateClusterRole(next),
  ],
};
