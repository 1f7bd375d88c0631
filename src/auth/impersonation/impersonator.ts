import { ApiError, aggregateTexts } from '../../apimachinery/errors/api-error.js';
import { type FieldError, invalid } from '../../apimachinery/errors/field-error.js';
import { quote } from '../../apimachinery/go/go-string.js';
import { validateDnsSubdomain } from '../../apimachinery/validation/names.js';
import type { UserInfo } from '../../registry/resource/request-context.js';
import {
  ALL_AUTHENTICATED,
  ALL_UNAUTHENTICATED,
  ANONYMOUS,
  NODES,
  SYSTEM_MASTERS,
  nodeNameOf,
  serviceAccountGroups,
  serviceAccountOf,
} from '../authentication/authenticator.js';
import { type AuthorizationAttributes, type Authorizer, forbiddenRequest } from '../authorization/authorizer.js';
import { ExpiringCache } from '../expiring-cache.js';

/** The impersonated user of a request. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb that allowed it, unless that was plain `impersonate`. */
  readonly constraint: string;
}

/** Number of users whose last successful mode is remembered. */
const REMEMBERED = 10_000;

/**
 * Authorizes impersonation (apiserver endpoints/filters/impersonation). Tries each mode that applies to the wanted user, starting with the
 * one that last succeeded for this requestor. If all refuse, the first refusal is thrown.
 */
export class Impersonator {
  readonly #authorizer: Authorizer;
  /** Index of the last successful mode by requestor. */
  readonly #lastModes = new ExpiringCache<number>(REMEMBERED, Date.now);

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer;
  }

  /** Resolves with the user to impersonate; rejects with the 403. */
  async impersonate(requestor: UserInfo, wanted: UserInfo, request: AuthorizationAttributes): Promise<Impersonated> {
    let refusal: unknown;
    for (const at of this.#order(requestor.name)) {
      const mode = IMPERSONATION_MODES[at];
      if (!mode?.applies(wanted, requestor)) continue;
      try {
        const user = await new ImpersonationCheck(this.#authorizer, requestor, mode).check(wanted, request);
        this.#lastModes.set(requestor.name, at, Infinity);
        return { user, constraint: mode.name === '' ? '' : `impersonate:${mode.name}` };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }

  #order(requestor: string): number[] {
    const all = IMPERSONATION_MODES.map((_, at) => at);
    const last = this.#lastModes.get(requestor);
    return last === undefined ? all : [last, ...all.filter((at) => at !== last)];
  }
}

const AUTHENTICATION_GROUP = 'authentication.k8s.io';
/** From this many checks on, a single check for `*` is tried first. */
const MANY_CHECKS = 4;

/**
 * Checks whether a user may impersonate another in one mode: first the request itself (constrained modes only), then name, uid, groups and
 * extra values. Throws the 403 of the first check that fails.
 */
class ImpersonationCheck {
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

/** One of the ways in which impersonation can be authorized. */
interface ImpersonationMode {
  /** The suffix of its verbs; '' for legacy `impersonate`. */
  readonly name: string;
  /** Whether the mode applies to this user. */
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** In the order in which they are tried (apiserver endpoints/filters/impersonation/mode.go). */
const IMPERSONATION_MODES: readonly ImpersonationMode[] = [
  { name: 'associated-node', applies: (wanted, requestor) => hasOnlyName(wanted) && runsOnNode(requestor, nodeNameOf(wanted.name)) },
  { name: 'arbitrary-node', applies: (wanted) => hasOnlyName(wanted) && nodeNameOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => hasOnlyName(wanted) && serviceAccountOf(wanted.name) !== undefined },
  { name: 'user-info', applies: ({ name }) => nodeNameOf(name) === undefined && serviceAccountOf(name) === undefined },
  { name: '', applies: () => true },
];

function hasOnlyName({ uid, groups, extra }: UserInfo): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

/** Whether a service account's token says that its pod runs on the node. */
function runsOnNode(requestor: UserInfo, node: string | undefined): boolean {
  if (node === undefined || !serviceAccountOf(requestor.name)) return false;
  const values = requestor.extra[NODE_NAME] ?? [];
  return values.length === 1 && values[0] === node;
}

const FIELD = 'extra.key';
const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Returns why extra values must not be used in constrained impersonation; undefined if they may. */
function refusedExtra(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const key of Object.keys(extra).sort()) {
    const values = extra[key] ?? [];
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const errors = validateDomainPath(key);
    if (errors.length > 0) {
      return `impersonating an invalid key in extra is not allowed: ${aggregateTexts(errors.map(({ field, body }) => `${field}: ${body}`))}`;
    }
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** `acme.io/foo` (apimachinery util/validation IsDomainPrefixedPath). */
function validateDomainPath(text: string): FieldError[] {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return [invalid(FIELD, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const [host, path] = [text.slice(0, slash), text.slice(slash + 1)];
  const errors = validateDnsSubdomain(host).map((message) => invalid(FIELD, host, message));
  if (!new RegExp(`^${PATH}$`).test(path)) errors.push(invalid(FIELD, path, `Invalid path (regex used for validation is '${PATH}')`));
  return errors;
}
