import { labelSelectorSchema } from '../../../apimachinery/meta/label-selector.schema.js';
import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import { field, list, struct, typeMetaFields } from '../../../apimachinery/schema/type-builders.js';
import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import { policyRuleSchema, RBAC_V1 } from '../../../auth/authorization/rbac.schema.js';

/** rbac.authorization.k8s.io/v1 AggregationRule. */
const aggregationRuleV1Schema = struct({
  goName: 'AggregationRule',
  openapiName: `${RBAC_V1}.AggregationRule`,
  description: 'Composes a cluster role from others.',
  fields: [
    field(
      'clusterRoleSelectors',
      1,
      list(labelSelectorSchema),
      'omitEmpty',
      'Label selectors; the rules of all matching cluster roles are collected.',
    ),
  ],
});

/** rbac.authorization.k8s.io/v1 ClusterRole. */
export const clusterRoleV1Schema = struct({
  goName: 'ClusterRole',
  openapiName: `${RBAC_V1}.ClusterRole`,
  description: 'Permissions that a ClusterRoleBinding grants cluster-wide, or a RoleBinding in its namespace.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field('rules', 2, list(policyRuleSchema), 'always', 'The permissions. With an aggregationRule, the server maintains them.'),
    field('aggregationRule', 3, aggregationRuleV1Schema, 'optional', 'Selects the cluster roles whose rules make up this one.'),
  ],
});

/** The hub type of cluster roles: rights in all namespaces, or in one if a RoleBinding references the role. It has the shape of v1. */
export type ClusterRole = TypeOf<typeof clusterRoleV1Schema>;
