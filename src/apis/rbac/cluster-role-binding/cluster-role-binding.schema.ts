import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import { field, list, requiredField, struct, typeMetaFields } from '../../../apimachinery/schema/type-builders.js';
import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import { RBAC_V1, roleRefSchema, subjectSchema } from '../../../auth/authorization/rbac.schema.js';

/** rbac.authorization.k8s.io/v1 ClusterRoleBinding. */
export const clusterRoleBindingV1Schema = struct({
  goName: 'ClusterRoleBinding',
  openapiName: `${RBAC_V1}.ClusterRoleBinding`,
  description: 'Grants the permissions of a ClusterRole in the whole cluster.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field('subjects', 2, list(subjectSchema), 'omitEmpty', 'Subjects that get the permissions.'),
    requiredField('roleRef', 3, roleRefSchema, 'The role. It cannot be changed.'),
  ],
});

/** The hub type of cluster role bindings, which grant a cluster role in all namespaces. It has the shape of v1. */
export type ClusterRoleBinding = TypeOf<typeof clusterRoleBindingV1Schema>;
