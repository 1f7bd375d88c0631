import { aggregateTexts } from '../../../apimachinery/errors/api-error.js';
import { quote } from '../../../apimachinery/go/go-string.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import { type AuthorizationAttributes, type Decision, type NamedAuthorizer, type UserRules, NO_OPINION } from '../authorizer.js';
import { ruleAllows } from '../node-authorizer.js';
import type { PolicyRule, RoleRef } from '../rbac.schema.js';
import { type PolicyIndex, type RoleBindingLike, describeGrant } from './policy-index.js';

/** The group of roles and bindings. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** The rules that bindings grant a user. */
export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  readonly missing: readonly RoleBindingLike[];
}

/**
 * Allows what a rule of a bound role allows, and leaves the rest undecided (kubernetes plugin/pkg/auth/authorizer/rbac). Synchronous:
 * evaluates the index only.
 */
export class RbacAuthorizer implements NamedAuthorizer {
  readonly name = 'rbac';
  readonly #index: PolicyIndex;
  readonly #recent = new RecentGrants();

  constructor(index: PolicyIndex) {
    this.#index = index;
  }

  authorize(user: UserInfo, attributes: AuthorizationAttributes): Decision {
    const { isResourceRequest } = attributes;
    const recent = isResourceRequest ? this.#recent.find(user, attributes, this.#index.version) : undefined;
    return recent ?? this.#decide(user, attributes);
  }

  #decide(user: UserInfo, attributes: AuthorizationAttributes): Decision {
    const { isResourceRequest, verb } = attributes;
    const apiGroup = isResourceRequest ? attributes.apiGroup : '';
    let decision: Grant | undefined;
    let missing: RoleBindingLike[] | undefined;
    // For another name an earlier binding may grant the request.
    let dependsOnName = false;
    this.#index.visit(user, isResourceRequest ? attributes.namespace : '', (binding, rules, scope) => {
      if (rules === undefined) {
        (missing ??= []).push(binding);
        return false;
      }
      if (!scope.covers(verb, apiGroup)) return false;
      for (const rule of rules) {
        dependsOnName ||= (rule.resourceNames?.length ?? 0) > 0;
        if (!ruleAllows(rule, attributes)) continue;
        decision = new Grant(binding, user);
        return true;
      }
      return false;
    });
    if (decision) {
      if (isResourceRequest && !dependsOnName) this.#recent.add(user, attributes, decision);
      return decision;
    }
    return missing === undefined ? NO_OPINION : { allowed: false, reason: `RBAC: ${describeMissing(missing)}` };
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const { rules, missing } = this.heldRules(user, namespace);
    return { rules, incomplete: false, ...(missing.length > 0 ? { evaluationError: describeMissing(missing) } : {}) };
  }

  /** The rules that a user has in a namespace, and the bindings with missing roles; each binding counts once. */
  heldRules(user: UserInfo, namespace: string): HeldRules {
    const seen = new Set<RoleBindingLike>();
    const rules: PolicyRule[] = [];
    const missing: RoleBindingLike[] = [];
    this.#index.visit(user, namespace, (binding, found) => {
      if (seen.has(binding)) return false;
      seen.add(binding);
      if (found) rules.push(...found);
      else missing.push(binding);
      return false;
    });
    return { rules, missing };
  }
}

/** An allowance whose reason is formatted only when it is read. */
class Grant {
  readonly allowed = true;
  readonly #binding: RoleBindingLike;
  readonly #user: UserInfo;

  constructor(binding: RoleBindingLike, user: UserInfo) {
    this.#binding = binding;
    this.#user = user;
  }

  get reason(): string {
    return describeGrant(this.#binding, this.#user);
  }
}

function describeMissing(bindings: readonly RoleBindingLike[]): string {
  return aggregateTexts(bindings.map(({ roleRef }) => roleNotFound(roleRef)));
}

function roleNotFound({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.${RBAC_GROUP} ${quote(name)} not found`;
}

/** Per user; when full, all of them are dropped. */
const MAX_GRANTS = 1000;

interface RecentGrant {
  readonly attributes: AuthorizationAttributes;
  readonly decision: Decision;
}

/**
 * Caches grants that do not depend on the object's name, so that repeated requests, such as renewals of a lease, are decided at once. Users
 * are compared by identity, so a user object built anew for each request never hits. A change of roles or bindings clears the cache.
 */
class RecentGrants {
  #grants = new WeakMap<UserInfo, Map<string, RecentGrant>>();
  #version = -1;

  /** `version`: PolicyIndex.version. */
  find(user: UserInfo, attributes: AuthorizationAttributes, version: number): Decision | undefined {
    if (version !== this.#version) {
      this.#grants = new WeakMap();
      this.#version = version;
      return undefined;
    }
    const found = this.#grants.get(user)?.get(keyOf(attributes));
    return found && isSame(found.attributes, attributes) ? found.decision : undefined;
  }

  add(user: UserInfo, attributes: AuthorizationAttributes, decision: Decision): void {
    let grants = this.#grants.get(user);
    if (!grants || grants.size >= MAX_GRANTS) this.#grants.set(user, (grants = new Map<string, RecentGrant>()));
    grants.set(keyOf(attributes), { attributes, decision });
  }
}

/** Keys may collide; entries are compared on a hit. */
function keyOf({ verb, resource, namespace }: AuthorizationAttributes): string {
  return `${verb}/${resource}/${namespace}`;
}

/** Compares everything but the name, on which cached grants do not depend. */
function isSame(one: AuthorizationAttributes, other: AuthorizationAttributes): boolean {
  return (
    one.verb === other.verb &&
    one.apiGroup === other.apiGroup &&
    one.resource === other.resource &&
    one.subresource === other.subresource &&
    one.namespace === other.namespace
  );
}
