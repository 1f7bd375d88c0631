import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { PolicyRule } from '../../auth/authorization/rbac/policy-rule.js';

/** A list without rules is stored as none, as upstream's protobuf has it; it is then shown as null. */
export function dropEmptyRules(role: KubeObject & { rules?: PolicyRule[] }): void {
  if (role.rules?.length === 0) delete role.rules;
}
