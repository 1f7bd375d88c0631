import { labelSelectorSchema } from '../../../../apimachinery/meta/label-selector.schema.js';
import { objectMetaSchema } from '../../../../apimachinery/meta/object-meta.schema.js';
import { field, list, struct, typeMetaFields } from '../../../../apimachinery/schema/type-builders.js';
import { policyRuleSchema, RBAC_V1 } from '../../../../auth/authorization/rbac.schema.js';

/** rbac.authorization.k8s.io/v1 AggregationRule. */
const aggregationRuleV1Schema = struct({
  goName: 'AggregationRule',
  openapiName: `${RBAC_V1}.AggregationRule`,
  description: 'Makes a cluster role the sum of others.',
  fields: [
    field(
      'clusterRoleSelectors',
      1,
      list(labelSelectorSchema),
      'omitEmpty',
      'The rules of cluster roles that any of these selects are gathered.',
    ),
  ],
});

/** rbac.authorization.k8s.io/v1 ClusterRole. */
export const clusterRoleV1Schema = struct({
  goName: 'ClusterRole',
  openapiName: `${RBAC_V1}.ClusterRole`,
  description: 'Rights that a ClusterRoleBinding gives cluster-wide, or a RoleBinding in its namespace.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field('rules', 2, list(policyRuleSchema), 'always', 'The rights. With an aggregationRule, the server keeps them.'),
    field(
      'aggregationRule',
      3,
      aggregationRuleV1Schema,
      'optional',
      'Where the rules come from, if they are gathered from other cluster roles.',
    ),
  ],
});
