import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { roleBindingV1Schema } from './v1/role-binding-v1.schema.js';

/** The hub type of role bindings, which grant a role in one namespace. It has the shape of v1. */
export type RoleBinding = TypeOf<typeof roleBindingV1Schema>;
