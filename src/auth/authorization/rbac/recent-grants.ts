import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { AuthorizationAttributes, Decision } from '../authorizer.js';

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
export class RecentGrants {
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
