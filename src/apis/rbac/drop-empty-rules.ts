import type { PolicyRule } from '../../auth/authorization/rbac.schema.js';

/** Drops an empty list of rules, as upstream's protobuf does; it is then shown as null. */
export function dropEmptyRules(role: { rules?: readonly PolicyRule[] | null }): void {
  if (role.rules?.length === 0) delete role.rules;
}
