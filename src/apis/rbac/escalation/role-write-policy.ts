import { forbidden } from '../../../apimachinery/errors/status-errors.js';
import type { PolicyRule } from '../../../auth/authorization/rbac.schema.js';
import type { ResourceDefinition } from '../../../registry/resource/resource-definition.js';
import type { PolicedWrite, WritePolicy } from '../../../registry/resource/resource-store.js';
import type { ClusterRole } from '../role/role.schema.js';
import {
  type EscalationOptions,
  type Grantor,
  escalation,
  mayGrantAnything,
  mayUse,
  changesOnlyCollectorFields,
} from './escalation-check.js';

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
