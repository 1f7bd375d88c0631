import type { UserInfo } from '../../../registry/request-context.js';
import type { AuthorizationAttributes, Decision } from '../authorizer.js';

/** Per user; when there are more, all are forgotten. */
const MAX_GRANTS = 1000;

interface RecentGrant {
  readonly attributes: AuthorizationAttributes;
  readonly decision: Decision;
}

/**
 * Grants that hold for every name, so that a client that does the same thing again and again, such as to renew its lease, is found at
 * once. Users are known by the object that authentication answers: one that is made anew for each request is new here too. Everything
 * is forgotten when roles or bindings change.
 */
export class RecentGrants {
  #grants = new WeakMap<UserInfo, Map<string, RecentGrant>>();
  #version = -1;

  /** `version`: of the roles and bindings. */
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

/** Different requests may have one key: what is found is compared. */
function keyOf({ verb, resource, namespace }: AuthorizationAttributes): string {
  return `${verb}/${resource}/${namespace}`;
}

/** But for names, which the grants do not look at. */
function isSame(one: AuthorizationAttributes, other: AuthorizationAttributes): boolean {
  return (
    one.verb === other.verb &&
    one.apiGroup === other.apiGroup &&
    one.resource === other.resource &&
    one.subresource === other.subresource &&
    one.namespace === other.namespace
  );
}
