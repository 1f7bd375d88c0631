import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import { field, list, requiredField, struct, typeMetaFields } from '../../../apimachinery/schema/type-builders.js';
import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import { RBAC_V1, roleRefSchema, subjectSchema } from '../../../auth/authorization/rbac.schema.js';

/** rbac.authorization.k8s.io/v1 RoleBinding. */
export const roleBindingV1Schema = struct({
  goName: 'RoleBinding',
  openapiName: `${RBAC_V1}.RoleBinding`,
  description: 'Grants the permissions of a Role or ClusterRole in one namespace.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field('subjects', 2, list(subjectSchema), 'omitEmpty', 'Subjects that get the permissions.'),
    requiredField('roleRef', 3, roleRefSchema, 'The role in the namespace of the binding, or a cluster role. It cannot be changed.'),
  ],
});

/** The hub type of role bindings, which grant a role in one namespace. It has the shape of v1. */
export type RoleBinding = TypeOf<typeof roleBindingV1Schema>;
