import type { StructType } from '../../../apimachinery/schema/struct-type.js';
import { RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { type ResourceDefinition, createdAtColumn, defineResource, nameColumn } from '../../../registry/resource/resource-definition.js';
import { type ClusterRole, clusterRoleV1Schema, roleV1Schema } from './role.schema.js';
import { roleStrategy } from './role.strategy.js';

export const roleDefinition = definitionOf('Role', roleV1Schema, true);
export const clusterRoleDefinition = definitionOf('ClusterRole', clusterRoleV1Schema, false);

function definitionOf(kind: string, schema: StructType, namespaced: boolean): ResourceDefinition<ClusterRole> {
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] }];
  return defineResource<ClusterRole>({
    group: RBAC_GROUP,
    kind,
    namespaced,
    versions: [{ name: 'v1', schema, example: { metadata: { name: 'example' }, rules } }],
    strategy: roleStrategy(namespaced),
    columns: [nameColumn, createdAtColumn],
  });
}
