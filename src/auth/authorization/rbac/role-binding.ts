import { serviceAccountUserName } from '../../authentication/special-users.js';
import { quote } from '../../../apimachinery/go/go-string.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { RoleRef, Subject } from '../rbac.schema.js';

/** A RoleBinding, or a ClusterRoleBinding if the namespace is ''. */
export interface RoleBindingLike {
  readonly name: string;
  readonly namespace: string;
  readonly subjects: readonly Subject[];
  readonly roleRef: RoleRef;
}

/** The index key of a subject's user or group; undefined for subjects that match nobody. */
export function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User') return userKey(name);
  if (kind === 'Group') return groupKey(name);
  if (kind !== 'ServiceAccount') return undefined;
  const home = namespace || bindingNamespace;
  return home === '' ? undefined : userKey(serviceAccountUserName({ namespace: home, name }));
}

export const userKey = (name: string): string => `u:${name}`;
export const groupKey = (name: string): string => `g:${name}`;

/** The reason of an allowance, worded as upstream's (kubernetes pkg/registry/rbac/validation/rule.go). */
export function describeGrant(binding: RoleBindingLike, user: UserInfo): string {
  const { name, namespace, roleRef } = binding;
  const [kind, id] = namespace === '' ? ['ClusterRoleBinding', name] : ['RoleBinding', `${name}/${namespace}`];
  return `RBAC: allowed by ${kind} ${quote(id)} of ${roleRef.kind} ${quote(roleRef.name)} to ${describeSubject(binding, user)}`;
}

/** Describes the first subject that matches the user. */
function describeSubject({ subjects, namespace }: RoleBindingLike, user: UserInfo): string {
  const mine = new Set([userKey(user.name), ...user.groups.map(groupKey)]);
  const subject = subjects.find((each) => mine.has(subjectKey(each, namespace) ?? ''));
  if (!subject) return '';
  const id = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${subject.kind} ${quote(id)}`;
}
