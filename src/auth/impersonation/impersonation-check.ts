import type { UserInfo } from '../../registry/resource/request-context.js';
import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS, NODES, SYSTEM_MASTERS } from '../authentication/well-known-users.js';
import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.js';
import { forbiddenRequest } from '../authorization/forbidden.js';
import { refusedExtra } from './refused-extra.js';
import type { ImpersonationMode } from './impersonation-mode.js';
import { nodeNameOf, serviceAccountGroups, serviceAccountOf } from '../authentication/special-users.js';

const AUTHENTICATION_GROUP = 'authentication.k8s.io';
/** From this many checks on, a single check for `*` is tried first. */
const MANY_CHECKS = 4;

/**
 * Checks whether a user may impersonate another in one mode: first the request itself (constrained modes only), then name, uid, groups and
 * extra values. Throws the 403 of the first check that fails.
 */
export class ImpersonationCheck {
  readonly #authorizer: Authorizer;
  readonly #requestor: UserInfo;
  readonly #mode: string;
  readonly #verb: string;
  readonly #constrained: boolean;

  constructor(authorizer: Authorizer, requestor: UserInfo, { name }: ImpersonationMode) {
    this.#authorizer = authorizer;
    this.#requestor = requestor;
    this.#mode = name;
    this.#constrained = name !== '';
    this.#verb = this.#constrained ? `impersonate:${name}` : 'impersonate';
  }

  /** Resolves with the user to impersonate. */
  async check(wanted: UserInfo, request: AuthorizationAttributes): Promise<UserInfo> {
    if (this.#constrained) await this.#require({ ...request, verb: `impersonate-on:${this.#mode}:${request.verb}` });
    const groups = await this.#checkName(wanted);
    if (wanted.uid !== '') await this.#ask(AUTHENTICATION_GROUP, 'uids', wanted.uid);
    if (wanted.groups.length > 0) await this.#checkGroups(wanted.groups);
    if (Object.keys(wanted.extra).length > 0) await this.#checkExtra(wanted.extra);
    return { ...wanted, groups: withEverybodysGroup(wanted.name, groups) };
  }

  /** Resolves with the groups that the name implies. */
  async #checkName({ name, groups }: UserInfo): Promise<readonly string[]> {
    const node = this.#constrained ? nodeNameOf(name) : undefined;
    if (node !== undefined) {
      await this.#ask(AUTHENTICATION_GROUP, 'nodes', this.#mode === 'associated-node' ? '*' : node);
      return [NODES];
    }
    const account = serviceAccountOf(name);
    if (!account) {
      await this.#ask(this.#namesGroup, 'users', name);
      return groups;
    }
    await this.#require({ ...this.#attributes(this.#namesGroup, 'serviceaccounts', account.name), namespace: account.namespace });
    return groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
  }

  async #checkGroups(groups: readonly string[]): Promise<void> {
    if (this.#constrained) {
      if (groups.includes('')) throw this.#refusal('groups', '', 'impersonating the empty string group is not allowed');
      if (groups.includes(SYSTEM_MASTERS)) {
        throw this.#refusal('groups', SYSTEM_MASTERS, 'impersonating the system:masters group is not allowed');
      }
      if (groups.length >= MANY_CHECKS && (await this.#allows(this.#attributes(this.#namesGroup, 'groups', '*')))) return;
    }
    for (const group of groups) await this.#ask(this.#namesGroup, 'groups', group);
  }

  async #checkExtra(extra: UserInfo['extra']): Promise<void> {
    const keys = Object.keys(extra).sort();
    if (this.#constrained) {
      const refused = refusedExtra(extra);
      if (refused !== undefined) throw this.#refusal('userextras', '', refused);
      const many = keys.length >= MANY_CHECKS || keys.flatMap((key) => extra[key] ?? []).length >= MANY_CHECKS;
      if (many && (await this.#allows({ ...this.#attributes(AUTHENTICATION_GROUP, 'userextras', '*'), subresource: '*' }))) return;
    }
    for (const key of keys) {
      for (const value of extra[key] ?? []) {
        await this.#require({ ...this.#attributes(AUTHENTICATION_GROUP, 'userextras', value), subresource: key });
      }
    }
  }

  /** The API group of users, groups and service accounts; legacy impersonation uses core. */
  get #namesGroup(): string {
    return this.#constrained ? AUTHENTICATION_GROUP : '';
  }

  #attributes(apiGroup: string, resource: string, name: string): AuthorizationAttributes {
    const rest = { apiVersion: 'v1', namespace: '', subresource: '', path: '' };
    return { isResourceRequest: true, verb: this.#verb, apiGroup, resource, name, ...rest };
  }

  #ask(apiGroup: string, resource: string, name: string): Promise<void> {
    return this.#require(this.#attributes(apiGroup, resource, name));
  }

  async #require(attributes: AuthorizationAttributes): Promise<void> {
    const decision = await this.#authorizer.authorize(this.#requestor, attributes);
    if (!decision.allowed) throw forbiddenRequest(this.#requestor, attributes, decision.reason);
  }

  async #allows(attributes: AuthorizationAttributes): Promise<boolean> {
    return (await this.#authorizer.authorize(this.#requestor, attributes)).allowed;
  }

  #refusal(resource: string, name: string, reason: string): Error {
    const group = resource === 'groups' ? this.#namesGroup : AUTHENTICATION_GROUP;
    return forbiddenRequest(this.#requestor, this.#attributes(group, resource, name), reason);
  }
}

function withEverybodysGroup(name: string, groups: readonly string[]): readonly string[] {
  const group = name === ANONYMOUS.name ? ALL_UNAUTHENTICATED : ALL_AUTHENTICATED;
  return groups.includes(group) || groups.includes(ALL_UNAUTHENTICATED) ? groups : [...groups, group];
}
