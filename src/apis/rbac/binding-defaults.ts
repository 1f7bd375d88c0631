import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import { RBAC_GROUP } from '../../auth/authorization/rbac/rbac-authorizer.js';
import type { RoleRef, Subject } from '../../auth/authorization/rbac/role-binding.js';

/** What both kinds of bindings hold. */
export interface BindingObject extends KubeObject {
  subjects?: Subject[];
  roleRef?: RoleRef;
}

/** Fills in the group of roles, users and groups (kubernetes pkg/apis/rbac/v1/defaults.go). */
export function setBindingDefaults(binding: BindingObject): void {
  const { roleRef, subjects } = binding;
  if (!roleRef?.apiGroup) binding.roleRef = { kind: '', name: '', ...roleRef, apiGroup: RBAC_GROUP };
  if (subjects?.some(lacksGroup)) binding.subjects = subjects.map((each) => (lacksGroup(each) ? { ...each, apiGroup: RBAC_GROUP } : each));
}

function lacksGroup({ kind, apiGroup }: Subject): boolean {
  return !apiGroup && (kind === 'User' || kind === 'Group');
}

/** Lists without items are stored as none, as upstream's protobuf has it. */
export function dropEmptySubjects(binding: BindingObject): void {
  if (binding.subjects?.length === 0) delete binding.subjects;
}
