import { isDeepStrictEqual } from 'node:util';
import { type LabelSelector, labelSelectorOf } from '../../apimachinery/selectors/label-selector.js';
import type { ClusterRole } from '../../apis/rbac/role/role.schema.js';
import type { PolicyRule } from '../../auth/authorization/rbac.schema.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { systemContext } from '../../registry/resource/request-context.js';
import type { StoredObject } from '../../storage/object-store.js';
import { Informer } from '../machinery/informer.js';
import { type QueueServices, type RetryQueue, queueOf, tookEffect } from '../machinery/retry-queue.js';

export interface ClusterRoleAggregationOptions extends QueueServices {
  readonly clusterRoles: ResourceStore<ClusterRole>;
}

const NAME = 'clusterrole-aggregation-controller';

interface KnownRole {
  readonly role: ClusterRole;
  readonly revision: number;
}

/**
 * Fills the rules of aggregated cluster roles from the roles that they select, sorted by name, each rule once (kubernetes
 * pkg/controller/clusterroleaggregation). Any number of replicas may run it; all compute the same result.
 */
export class ClusterRoleAggregationReconciler {
  readonly #options: ClusterRoleAggregationOptions;
  readonly #abort = new AbortController();
  readonly #roles = new Map<string, KnownRole>();
  readonly #informer: Informer;
  readonly #queue: RetryQueue<string>;

  constructor(options: ClusterRoleAggregationOptions) {
    this.#options = options;
    const { scheduler, logger } = options;
    this.#queue = queueOf(NAME, options, (name) => this.#aggregate(name));
    const onChange = (object: StoredObject, gone: boolean): void => this.#take(object, gone);
    this.#informer = new Informer({ store: options.clusterRoles, scheduler, logger, onChange });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#informer.stop();
    await this.#queue.stop();
  }

  /** Any change may affect any aggregated role. */
  #take({ key, data, revision }: StoredObject, gone: boolean): void {
    if (gone) this.#roles.delete(key.name);
    else this.#roles.set(key.name, { role: JSON.parse(data) as ClusterRole, revision });
    for (const [name, { role }] of this.#roles) if (role.aggregationRule) this.#queue.add(name, name);
  }

  async #aggregate(name: string): Promise<undefined> {
    const { role, revision = 0 } = this.#roles.get(name) ?? {};
    if (!role?.aggregationRule) return;
    const rules = this.#gathered(name, role);
    if (isDeepStrictEqual(rules, role.rules ?? [])) return;
    const { clusterRoles } = this.#options;
    const target = { version: clusterRoles.definition.storageVersion, namespace: '', name };
    const metadata = { ...role.metadata, resourceVersion: String(revision) };
    const source = {
      next: () => ({ ...role, metadata, rules }),
      uid: metadata.uid,
      mayCreate: false,
      tracksFields: 'update',
      retries: false,
    } as const;
    const options = { dryRun: false, fieldManager: NAME, fieldValidation: 'Ignore' } as const;
    // otherwise the informer delivers the newer state
    await tookEffect(clusterRoles.update(systemContext(NAME, this.#abort.signal), target, source, options));
  }

  #gathered(name: string, { aggregationRule }: ClusterRole): PolicyRule[] {
    const rules: PolicyRule[] = [];
    for (const selector of (aggregationRule?.clusterRoleSelectors ?? []).map(labelSelectorOf)) {
      for (const rule of this.#selected(selector, name).flatMap((role) => role.rules ?? [])) {
        if (!rules.some((known) => isDeepStrictEqual(known, rule))) rules.push(rule);
      }
    }
    return rules;
  }

  #selected(selector: LabelSelector, except: string): ClusterRole[] {
    return [...this.#roles]
      .filter(([name, { role }]) => name !== except && selector.matches(role.metadata.labels))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { role }]) => role);
  }
}
