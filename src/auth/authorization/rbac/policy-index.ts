import type { UserInfo } from '../../../registry/request-context.js';
import type { PolicyRule } from './policy-rule.js';
import type { RoleBindingLike, RoleRef } from './role-binding.js';
import { groupKey, subjectKey, userKey } from './role-binding.js';

type BindingsBySubject = Map<string, RoleBindingLike[]>;

/** Called with what a binding gives: rules, or none where its role is missing. Answering true ends the walk. */
export type GrantVisitor = (binding: RoleBindingLike, rules: readonly PolicyRule[] | undefined) => boolean;

const NONE: readonly RoleBindingLike[] = [];

/**
 * All roles and bindings, with bindings found by subject: a decision looks only at the bindings of the one who asks. Written by the
 * feed that follows the four resources; `namespace` '' stands for cluster-scoped ones.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, RoleBindingLike>();
  readonly #cluster: BindingsBySubject = new Map();
  readonly #byNamespace = new Map<string, BindingsBySubject>();

  setRole(namespace: string, name: string, rules: readonly PolicyRule[]): void {
    this.#roles.set(key(namespace, name), rules);
  }

  deleteRole(namespace: string, name: string): void {
    this.#roles.delete(key(namespace, name));
  }

  setBinding(binding: RoleBindingLike): void {
    this.deleteBinding(binding.namespace, binding.name);
    this.#bindings.set(key(binding.namespace, binding.name), binding);
    const bySubject = this.#subjectsOf(binding.namespace);
    for (const subject of keysOf(binding)) {
      const list = bySubject.get(subject);
      if (list) list.push(binding);
      else bySubject.set(subject, [binding]);
    }
  }

  deleteBinding(namespace: string, name: string): void {
    const old = this.#bindings.get(key(namespace, name));
    if (!old) return;
    this.#bindings.delete(key(namespace, name));
    const bySubject = this.#subjectsOf(namespace);
    for (const subject of keysOf(old)) {
      const left = (bySubject.get(subject) ?? []).filter((binding) => binding !== old);
      if (left.length > 0) bySubject.set(subject, left);
      else bySubject.delete(subject);
    }
    if (namespace !== '' && bySubject.size === 0) this.#byNamespace.delete(namespace);
  }

  /** The rules of a role; undefined where it is missing. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(kind === 'ClusterRole' ? key('', name) : key(namespace, name));
  }

  /**
   * What a user has in a namespace ('': cluster-wide), cluster-wide grants first. A binding that names the user in several ways is
   * visited for each.
   */
  visit(user: UserInfo, namespace: string, visitor: GrantVisitor): void {
    if (this.#visit(this.#cluster, user, visitor) || namespace === '') return;
    const inNamespace = this.#byNamespace.get(namespace);
    if (inNamespace) this.#visit(inNamespace, user, visitor);
  }

  #visit(bySubject: BindingsBySubject, user: UserInfo, visitor: GrantVisitor): boolean {
    if (this.#visitAll(bySubject.get(userKey(user.name)), visitor)) return true;
    for (const group of user.groups) {
      if (this.#visitAll(bySubject.get(groupKey(group)), visitor)) return true;
    }
    return false;
  }

  #visitAll(bindings: readonly RoleBindingLike[] = NONE, visitor: GrantVisitor): boolean {
    for (const binding of bindings) {
      if (visitor(binding, this.rulesOf(binding.roleRef, binding.namespace))) return true;
    }
    return false;
  }

  #subjectsOf(namespace: string): BindingsBySubject {
    if (namespace === '') return this.#cluster;
    let found = this.#byNamespace.get(namespace);
    if (!found) this.#byNamespace.set(namespace, (found = new Map()));
    return found;
  }
}

function key(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function keysOf({ subjects, namespace }: RoleBindingLike): Set<string> {
  return new Set(subjects.flatMap((subject) => subjectKey(subject, namespace) ?? []));
}
