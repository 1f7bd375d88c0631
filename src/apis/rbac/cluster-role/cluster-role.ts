import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';
import type { LabelSelectorObject } from '../../../apimachinery/meta/label-selector.js';
import type { PolicyRule } from '../../../auth/authorization/rbac/policy-rule.js';

/** Whose rules a cluster role gathers. */
export interface AggregationRule {
  clusterRoleSelectors?: readonly LabelSelectorObject[];
}

/** The hub type of cluster roles: rights in all namespaces, or in one where a RoleBinding names it. It has the shape of v1. */
export interface ClusterRole extends KubeObject {
  rules?: PolicyRule[];
  aggregationRule?: AggregationRule;
}
