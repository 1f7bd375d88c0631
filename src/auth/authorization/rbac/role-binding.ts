import { quote } from '../../../apimachinery/errors/field-error.js';
import type { UserInfo } from '../../../registry/request-context.js';

/** Who gets the rights of a role. `namespace` is that of a service account. */
export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

/** The role of a binding: a `ClusterRole`, or a `Role` in the binding's namespace. */
export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

/** A RoleBinding, or a ClusterRoleBinding where there is no namespace (''). */
export interface RoleBindingLike {
  readonly name: string;
  readonly namespace: string;
  readonly subjects: readonly Subject[];
  readonly roleRef: RoleRef;
}

/** The name of a service account as a user (apiserver authentication/serviceaccount/util.go). */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The user or group that a subject stands for, as a key; undefined for one that is nobody. */
export function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User') return userKey(name);
  if (kind === 'Group') return groupKey(name);
  if (kind !== 'ServiceAccount') return undefined;
  const home = namespace || bindingNamespace;
  return home === '' ? undefined : userKey(serviceAccountUser(home, name));
}

export const userKey = (name: string): string => `u:${name}`;
export const groupKey = (name: string): string => `g:${name}`;

/** Why a request was allowed, in the words of SubjectAccessReviews (kubernetes pkg/registry/rbac/validation/rule.go). */
export function describeGrant(binding: RoleBindingLike, user: UserInfo): string {
  const { name, namespace, roleRef } = binding;
  const [kind, id] = namespace === '' ? ['ClusterRoleBinding', name] : ['RoleBinding', `${name}/${namespace}`];
  return `RBAC: allowed by ${kind} ${quote(id)} of ${roleRef.kind} ${quote(roleRef.name)} to ${describeSubject(binding, user)}`;
}

/** The first subject that the user is. */
function describeSubject({ subjects, namespace }: RoleBindingLike, user: UserInfo): string {
  const mine = new Set([userKey(user.name), ...user.groups.map(groupKey)]);
  const subject = subjects.find((each) => mine.has(subjectKey(each, namespace) ?? ''));
  if (!subject) return '';
  const id = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${subject.kind} ${quote(id)}`;
}
