import { quote } from '../../../apimachinery/go/go-string.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import { serviceAccountUserName } from '../../authentication/authenticator.js';
import type { PolicyRule, RoleRef, Subject } from '../rbac.schema.js';

const ANY = '*';

/**
 * The union of verbs and API groups of a role's rules, which rules out most roles without evaluating their rules. Rules for paths count as
 * group ''.
 */
class RoleScope {
  readonly #verbs: ReadonlySet<string> | undefined;
  readonly #groups: ReadonlySet<string> | undefined;

  constructor(rules: readonly PolicyRule[]) {
    this.#verbs = unlessAny(rules.flatMap(({ verbs }) => verbs ?? []));
    this.#groups = unlessAny(
      rules.flatMap(({ apiGroups = [], nonResourceURLs = [] }) => (nonResourceURLs.length > 0 ? [...apiGroups, ''] : apiGroups)),
    );
  }

  /** False: no rule can allow it. */
  covers(verb: string, group: string): boolean {
    return (this.#verbs === undefined || this.#verbs.has(verb)) && (this.#groups === undefined || this.#groups.has(group));
  }
}

/** Returns undefined if `*` is among the values, which matches everything. */
function unlessAny(values: readonly string[]): ReadonlySet<string> | undefined {
  return values.includes(ANY) ? undefined : new Set(values);
}

/** A role, or a placeholder for a missing one that bindings refer to. */
interface RoleCell {
  rules: readonly PolicyRule[] | undefined;
  scope: RoleScope;
  bindings: number;
}

interface BoundRole {
  readonly binding: RoleBindingLike;
  readonly role: RoleCell;
}

const NOTHING = new RoleScope([]);

type BindingsBySubject = Map<string, BoundRole[]>;

/** Called with the rules that a binding grants, undefined if its role is missing, and the rules' scope. Returning true ends the walk. */
export type GrantVisitor = (binding: RoleBindingLike, rules: readonly PolicyRule[] | undefined, scope: RoleScope) => boolean;

/**
 * All roles and bindings. Bindings are indexed by subject and hold their roles, so a decision looks only at the user's own bindings.
 * PolicyInformer keeps it up to date. Namespace '' stands for cluster-scoped objects.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, RoleCell>();
  readonly #bindings = new Map<string, BoundRole>();
  readonly #cluster: BindingsBySubject = new Map();
  readonly #byNamespace = new Map<string, BindingsBySubject>();
  #version = 0;

  /** Changes with every modification. */
  get version(): number {
    return this.#version;
  }

  setRole(namespace: string, name: string, rules: readonly PolicyRule[]): void {
    this.#version += 1;
    const cell = this.#cell(key(namespace, name));
    cell.rules = rules;
    cell.scope = new RoleScope(rules);
  }

  deleteRole(namespace: string, name: string): void {
    this.#version += 1;
    const id = key(namespace, name);
    const cell = this.#roles.get(id);
    if (cell) cell.rules = undefined;
    this.#dropUnused(id, cell);
  }

  setBinding(binding: RoleBindingLike): void {
    this.deleteBinding(binding.namespace, binding.name);
    const role = this.#cell(roleKey(binding));
    role.bindings += 1;
    const bound = { binding, role };
    this.#bindings.set(key(binding.namespace, binding.name), bound);
    const bySubject = this.#subjectsOf(binding.namespace);
    for (const subject of keysOf(binding)) {
      const list = bySubject.get(subject);
      if (list) list.push(bound);
      else bySubject.set(subject, [bound]);
    }
  }

  deleteBinding(namespace: string, name: string): void {
    this.#version += 1;
    const old = this.#bindings.get(key(namespace, name));
    if (!old) return;
    this.#bindings.delete(key(namespace, name));
    old.role.bindings -= 1;
    this.#dropUnused(roleKey(old.binding), old.role);
    const bySubject = this.#subjectsOf(namespace);
    for (const subject of keysOf(old.binding)) {
      const left = (bySubject.get(subject) ?? []).filter((bound) => bound !== old);
      if (left.length > 0) bySubject.set(subject, left);
      else bySubject.delete(subject);
    }
    if (namespace !== '' && bySubject.size === 0) this.#byNamespace.delete(namespace);
  }

  /**
   * Visits the grants of a user in a namespace ('': cluster-wide), cluster-wide grants first. A binding with several matching subjects is
   * visited once for each.
   */
  visit(user: UserInfo, namespace: string, visitor: GrantVisitor): void {
    if (visitSubjects(this.#cluster, user, visitor) || namespace === '') return;
    const inNamespace = this.#byNamespace.get(namespace);
    if (inNamespace) visitSubjects(inNamespace, user, visitor);
  }

  #cell(id: string): RoleCell {
    let cell = this.#roles.get(id);
    if (!cell) this.#roles.set(id, (cell = { rules: undefined, scope: NOTHING, bindings: 0 }));
    return cell;
  }

  #dropUnused(id: string, cell: RoleCell | undefined): void {
    if (cell && cell.rules === undefined && cell.bindings === 0) this.#roles.delete(id);
  }

  #subjectsOf(namespace: string): BindingsBySubject {
    if (namespace === '') return this.#cluster;
    let found = this.#byNamespace.get(namespace);
    if (!found) this.#byNamespace.set(namespace, (found = new Map<string, BoundRole[]>()));
    return found;
  }
}

function visitSubjects(bySubject: BindingsBySubject, user: UserInfo, visitor: GrantVisitor): boolean {
  if (visitAll(bySubject.get(userKey(user.name)), visitor)) return true;
  for (const group of user.groups) {
    if (visitAll(bySubject.get(groupKey(group)), visitor)) return true;
  }
  return false;
}

function visitAll(bound: readonly BoundRole[] | undefined, visitor: GrantVisitor): boolean {
  if (bound === undefined) return false;
  for (const { binding, role } of bound) if (visitor(binding, role.rules, role.scope)) return true;
  return false;
}

function key(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function roleKey({ namespace, roleRef }: { readonly namespace: string; readonly roleRef: RoleRef }): string {
  return key(roleRef.kind === 'ClusterRole' ? '' : namespace, roleRef.name);
}

function keysOf({ subjects, namespace }: RoleBindingLike): Set<string> {
  return new Set(subjects.flatMap((subject) => subjectKey(subject, namespace) ?? []));
}

/** A RoleBinding, or a ClusterRoleBinding if the namespace is ''. */
export interface RoleBindingLike {
  readonly name: string;
  readonly namespace: string;
  readonly subjects: readonly Subject[];
  readonly roleRef: RoleRef;
}

/** The index key of a subject's user or group; undefined for subjects that match nobody. */
function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User') return userKey(name);
  if (kind === 'Group') return groupKey(name);
  if (kind !== 'ServiceAccount') return undefined;
  const home = namespace || bindingNamespace;
  return home === '' ? undefined : userKey(serviceAccountUserName({ namespace: home, name }));
}

const userKey = (name: string): string => `u:${name}`;
const groupKey = (name: string): string => `g:${name}`;

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
