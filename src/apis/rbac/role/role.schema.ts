import { objectMetaSchema } from '../../../apimachinery/meta/object-meta.schema.js';
import { field, list, struct, typeMetaFields } from '../../../apimachinery/schema/type-builders.js';
import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import { policyRuleSchema, RBAC_V1 } from '../../../auth/authorization/rbac.schema.js';

/** rbac.authorization.k8s.io/v1 Role. */
export const roleV1Schema = struct({
  goName: 'Role',
  openapiName: `${RBAC_V1}.Role`,
  description: 'Permissions in one namespace.',
  fields: [
    ...typeMetaFields(),
    field('metadata', 1, objectMetaSchema, 'always', 'Standard metadata of the object.'),
    field('rules', 2, list(policyRuleSchema), 'always', 'The rights.'),
  ],
});

/** The hub type of roles: rights in one namespace. It has the shape of v1. */
export type Role = TypeOf<typeof roleV1Schema>;
