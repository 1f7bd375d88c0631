import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';
import type { PolicyRule } from '../../../auth/authorization/rbac/policy-rule.js';

/** The hub type of roles: rights in one namespace. It has the shape of v1. */
export interface Role extends KubeObject {
  rules?: PolicyRule[];
}
