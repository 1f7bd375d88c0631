import { labelSelectorSchema } from '../../../apimachinery/meta/label-selector.schema.js';
import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import { type TypeOf, field, list, struct, typeMetaFields } from '../../../apimachinery/schema/struct-type.js';
import { policyRuleSchema, RBAC_V1 } from '../../../auth/authorization/rbac.schema.js';

const metadata = field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.');

export const roleV1Schema = struct(`${RBAC_V1}.Role`, 'Permissions in one namespace.', [
  ...typeMetaFields(),
  metadata,
  field('rules', 2, list(policyRuleSchema), 'always', 'The rights.'),
]);

const aggregationRuleV1Schema = struct(`${RBAC_V1}.AggregationRule`, 'Composes a cluster role from others.', [
  field(
    'clusterRoleSelectors',
    1,
    list(labelSelectorSchema),
    'omitEmpty',
    'Label selectors; the rules of all matching cluster roles are collected.',
  ),
]);

export const clusterRoleV1Schema = struct(
  `${RBAC_V1}.ClusterRole`,
  'Permissions that a ClusterRoleBinding grants cluster-wide, or a RoleBinding in its namespace.',
  [
    ...typeMetaFields(),
    metadata,
    field('rules', 2, list(policyRuleSchema), 'always', 'The permissions. With an aggregationRule, the server maintains them.'),
    field('aggregationRule', 3, aggregationRuleV1Schema, 'optional', 'Selects the cluster roles whose rules make up this one.'),
  ],
);

/** The hub type of roles: rights in one namespace. It has the shape of v1. */
export type Role = TypeOf<typeof roleV1Schema>;

/** The hub type of cluster roles: rights in all namespaces, or in one if a RoleBinding references the role. It has the shape of v1. */
export type ClusterRole = TypeOf<typeof clusterRoleV1Schema>;
