import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import { RBAC_GROUP } from '../../auth/authorization/rbac/rbac-authorizer.js';
import type { RoleRef, Subject } from '../../auth/authorization/rbac.schema.js';

/** The shape that RoleBindings and ClusterRoleBindings share. */
export type BindingObject = KubeObject & { subjects?: readonly Subject[]; roleRef: RoleRef };

/** Fills in the API groups of roles, users and groups (kubernetes pkg/apis/rbac/v1/defaults.go). */
export function setBindingDefaults(binding: BindingObject): void {
  const { roleRef, subjects } = binding;
  if (roleRef.apiGroup === '') binding.roleRef = { ...roleRef, apiGroup: RBAC_GROUP };
  if (subjects?.some(lacksGroup)) binding.subjects = subjects.map((each) => (lacksGroup(each) ? { ...each, apiGroup: RBAC_GROUP } : each));
}

function lacksGroup({ kind, apiGroup }: Subject): boolean {
  return !apiGroup && (kind === 'User' || kind === 'Group');
}

/** Drops empty lists, as upstream's protobuf does. */
export function dropEmptySubjects(binding: BindingObject): void {
  if (binding.subjects?.length === 0) delete binding.subjects;
}
