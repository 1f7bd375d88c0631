import type { Strategy } from '../../../registry/resource/strategy.js';
import { dropEmptyRules } from '../drop-empty-rules.js';
import type { ClusterRole } from './cluster-role.js';
import { validateClusterRole } from './cluster-role.validation.js';

/** The strategy of cluster roles (kubernetes pkg/registry/rbac/clusterrole). */
export const clusterRoleStrategy: Strategy<ClusterRole> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutUnsafeDeletion: true,
  prepareForCreate: dropEmptyRules,
  prepareForUpdate: dropEmptyRules,
  validate: validateClusterRole,
  validateUpdate: validateClusterRole,
};
