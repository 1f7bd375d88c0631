import type { TypeOf } from '../../../apimachinery/schema/type-of.js';
import type { roleV1Schema } from './v1/role-v1.schema.js';

/** The hub type of roles: rights in one namespace. It has the shape of v1. */
export type Role = TypeOf<typeof roleV1Schema>;
