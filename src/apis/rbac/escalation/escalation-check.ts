import { compileEncoder } from '../../../apimachinery/codec/json/json-encoder.js';
import { ApiError } from '../../../apimachinery/errors/api-error.js';
import { badRequest, forbidden, notFound } from '../../../apimachinery/errors/status-errors.js';
import { quote, shown } from '../../../apimachinery/go/go-string.js';
import type { KubeObject } from '../../../apimachinery/meta/object-meta.schema.js';
import { qualifiedResource } from '../../../apimachinery/schema/group-resource.js';
import type { StructType } from '../../../apimachinery/schema/struct-type.js';
import { SYSTEM_MASTERS } from '../../../auth/authentication/authenticator.js';
import type { AuthorizationAttributes, Authorizer } from '../../../auth/authorization/authorizer.js';
import type { BindingObject, PolicyRule, RoleRef } from '../../../auth/authorization/rbac.schema.js';
import { type RbacAuthorizer, RBAC_GROUP } from '../../../auth/authorization/rbac/rbac-authorizer.js';
import { MAX_COMPARISONS, describeRights, goList, missingRights } from '../../../auth/authorization/rbac/rule-coverage.js';
import type { UserInfo } from '../../../registry/resource/request-context.js';
import type { ResourceDefinition } from '../../../registry/resource/resource-definition.js';
import type { PolicedWrite, ResourceStore, WritePolicy } from '../../../registry/resource/resource-store.js';
import type { ClusterRole, Role } from '../role/role.schema.js';

/** Limits on what a message shows of the rights that are missing. */
const SHOWN_RIGHTS = 5000;
const SHOWN_CHARACTERS = 64 * 1024;

/** The dependencies of the write policies of roles and bindings. */
export interface EscalationOptions {
  /** Decides on the verbs `escalate` and `bind`. */
  readonly authorizer: Authorizer;
  /** Resolves the rules of a user. */
  readonly rbac: RbacAuthorizer;
}

/** The user who grants rights, and the namespace and resource of the grant. */
interface Grantor {
  readonly user: UserInfo;
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly resource: string;
}

/** Members of system:masters may grant any right. */
function mayGrantAnything(user: UserInfo): boolean {
  return user.groups.includes(SYSTEM_MASTERS);
}

/** Whether the grantor may use a verb such as `escalate` on a role. */
async function mayUse(
  { authorizer }: EscalationOptions,
  { user, namespace }: Grantor,
  what: Pick<AuthorizationAttributes, 'verb' | 'resource' | 'name'>,
): Promise<boolean> {
  const attributes = { isResourceRequest: true, apiGroup: RBAC_GROUP, apiVersion: '*', namespace, subresource: '', path: '', ...what };
  return (await authorizer.authorize(user, attributes)).allowed;
}

/** The reason why the grantor may not grant these rules: users can grant only rights that they have. Undefined if none are missing. */
function escalation({ rbac }: EscalationOptions, grantor: Grantor, rules: readonly PolicyRule[]): string | undefined {
  const { user, namespace, resource } = grantor;
  const held = rbac.heldRules(user, namespace);
  const missing = missingRights(held.rules, rules, MAX_COMPARISONS);
  if (missing?.length === 0) return undefined;
  const who = `user ${quote(user.name)} (groups=${goList(user.groups)})`;
  if (!missing) return `${who} is attempting to grant more RBAC permissions than can be compared with those held`;
  const rights = describeRights(missing.slice(0, SHOWN_RIGHTS)).join('\n');
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${shown(rights, SHOWN_CHARACTERS)}`;
  if (held.missing.length === 0) return text;
  // Upstream names the resource of the request, not that of the missing role.
  const problems = new Set(
    held.missing.map(({ roleRef }) => `${qualifiedResource({ group: RBAC_GROUP, resource })} ${quote(roleRef.name)} not found`),
  );
  const list = [...problems].join(', ');
  return `${text}; resolution errors: [${problems.size === 1 ? list : `[${list}]`}]`;
}

/**
 * Whether an update changes only what the garbage collector changes, owners and finalizers, which needs no rights beyond the verb
 * (kubernetes pkg/registry/rbac/helpers.go).
 */
function changesOnlyCollectorFields(schema: StructType, next: KubeObject, live: KubeObject | undefined): boolean {
  if (live === undefined) return false;
  const encode = compileEncoder(schema);
  return encode(withoutCollectorFields(next)) === encode(withoutCollectorFields(live));
}

function withoutCollectorFields({ kind: _kind, apiVersion: _version, ...object }: KubeObject): KubeObject {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, selfLink: _link, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * A user who writes a role must have all rights in it, or the verb `escalate` (kubernetes pkg/registry/rbac/role/policybased and
 * clusterrole). An aggregated role may come to contain any right.
 */
export class RoleWritePolicy implements WritePolicy<ClusterRole> {
  readonly #definition: ResourceDefinition<ClusterRole>;
  readonly #options: EscalationOptions;

  /** `definition`: the definition of roles or of cluster roles. */
  constructor(definition: ResourceDefinition<ClusterRole>, options: EscalationOptions) {
    this.#definition = definition;
    this.#options = options;
  }

  async check({ context, target, object, live, repeatsIdentity }: PolicedWrite<ClusterRole>): Promise<void> {
    const { resource, namespaced, storageVersion } = this.#definition;
    if (mayGrantAnything(context.user)) return;
    const grantor: Grantor = { user: context.user, namespace: namespaced ? target.namespace : '', resource };
    if (await mayUse(this.#options, grantor, { verb: 'escalate', resource, name: target.name })) return;
    if (repeatsIdentity && changesOnlyCollectorFields(storageVersion.schema, object, live)) return;
    const reason = escalation(this.#options, grantor, object.rules ?? []);
    if (reason !== undefined) throw forbidden(this.#definition, object.metadata.name ?? '', reason);
    if (!gathers(object) && !(live && gathers(live))) return;
    if (escalation(this.#options, grantor, EVERYTHING) === undefined) return;
    throw forbidden(this.#definition, object.metadata.name ?? '', 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function gathers({ aggregationRule }: ClusterRole): boolean {
  return (aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

export interface RoleBindingWritePolicyOptions extends EscalationOptions {
  readonly roles: ResourceStore;
  readonly clusterRoles: ResourceStore;
}

/**
 * A user who binds a role must have all its rights, or the verb `bind` on it (kubernetes pkg/registry/rbac/rolebinding/policybased and
 * clusterrolebinding).
 */
export class RoleBindingWritePolicy implements WritePolicy<BindingObject> {
  readonly #definition: ResourceDefinition<BindingObject>;
  readonly #options: RoleBindingWritePolicyOptions;

  /** `definition`: the definition of role bindings or of cluster role bindings. */
  constructor(definition: ResourceDefinition<BindingObject>, options: RoleBindingWritePolicyOptions) {
    this.#definition = definition;
    this.#options = options;
  }

  async check({ context, target, object, live, repeatsIdentity }: PolicedWrite<BindingObject>): Promise<void> {
    const { resource, namespaced, storageVersion } = this.#definition;
    if (mayGrantAnything(context.user)) return;
    if (repeatsIdentity && changesOnlyCollectorFields(storageVersion.schema, object, live)) return;
    const grantor: Grantor = { user: context.user, namespace: namespaced ? target.namespace : '', resource };
    const { kind, name } = object.roleRef;
    const roles = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined;
    if (roles === undefined) throw badRequest(`unsupported role reference kind: ${quote(kind)}`);
    if (await mayUse(this.#options, grantor, { verb: 'bind', resource: roles, name })) return;
    const reason = escalation(this.#options, grantor, await this.#rulesOf({ apiGroup: '', kind, name }, grantor.namespace));
    if (reason !== undefined) throw forbidden(this.#definition, object.metadata.name ?? '', reason);
  }

  /**
   * Makes a consistent read, since the role may just have been created. A missing role is named as if it were a binding, as upstream
   * does.
   */
  async #rulesOf({ kind, name }: RoleRef, namespace: string): Promise<readonly PolicyRule[]> {
    const store = kind === 'ClusterRole' ? this.#options.clusterRoles : this.#options.roles;
    const target = { version: store.definition.storageVersion, namespace: kind === 'ClusterRole' ? '' : namespace, name };
    try {
      const { data } = await store.get(target, { resourceVersion: '' });
      return (JSON.parse(data) as Role).rules ?? [];
    } catch (error) {
      if (error instanceof ApiError && error.status.reason === 'NotFound') throw notFound(this.#definition, name);
      throw error;
    }
  }
}
