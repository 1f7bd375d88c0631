import type { FieldError } from '../../../apimachinery/errors/field-error.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { createdAtColumn, nameColumn } from '../../../registry/resource/metadata-columns.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../../registry/resource/resource-definition.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import { dropEmptyRules, requireVerbs, validatePolicyRules } from '../policy-rules.js';
import { validateRbacMetadata } from '../rbac-metadata.validation.js';
import type { Role } from './role.schema.js';
import { roleV1Schema } from './role.schema.js';

/** The strategy of roles (kubernetes pkg/registry/rbac/role). */
const roleStrategy: Strategy<Role> = {
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

/** Role in rbac.authorization.k8s.io/v1: the hub's own shape. */
export const roleV1: ResourceVersionDefinition<Role> = {
  name: 'v1',
  schema: roleV1Schema,
  example: {
    metadata: { name: 'example' },
    rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] }],
  },
};

export const roleDefinition: ResourceDefinition<Role> = {
  group: RBAC_GROUP,
  resource: 'roles',
  singular: 'role',
  kind: 'Role',
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  versions: [roleV1],
  storageVersion: roleV1,
  strategy: roleStrategy,
  columns: [nameColumn, createdAtColumn],
};
