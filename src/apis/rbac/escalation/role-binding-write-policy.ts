import { ApiError } from '../../../apimachinery/errors/api-error.js';
import { quote } from '../../../apimachinery/go/go-string.js';
import { badRequest, forbidden, notFound } from '../../../apimachinery/errors/status-errors.js';
import type { BindingObject, PolicyRule, RoleRef } from '../../../auth/authorization/rbac.schema.js';
import type { ResourceDefinition } from '../../../registry/resource/resource-definition.js';
import type { PolicedWrite, ResourceStore, WritePolicy } from '../../../registry/resource/resource-store.js';
import type { Role } from '../role/role.schema.js';
import {
  type EscalationOptions,
  type Grantor,
  escalation,
  mayGrantAnything,
  mayUse,
  changesOnlyCollectorFields,
} from './escalation-check.js';

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
