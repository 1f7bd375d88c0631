import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { ApiError } from '../apimachinery/errors/api-error.js';
import type { LabelSelector } from '../apimachinery/selectors/label-selector.js';
import { labelSelectorOf } from '../apimachinery/selectors/label-selector-object.js';
import type { ClusterRole } from '../apis/rbac/cluster-role/cluster-role.js';
import type { PolicyRule } from '../auth/authorization/rbac/policy-rule.js';
import type { ResourceStore } from '../registry/resource-store.js';
import { systemContext } from '../registry/system-context.js';
import type { StoredObject } from '../storage/object-store.js';
import type { Scheduler } from '../storage/scheduler.js';
import { Informer } from './informer.js';
import type { ObserveQueue } from './queue-metrics.js';
import { RetryQueue } from './retry-queue.js';

export interface ClusterRoleAggregationOptions {
  readonly clusterRoles: ResourceStore<ClusterRole>;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly observeQueue?: ObserveQueue;
}

const NAME = 'clusterrole-aggregation-controller';

/**
 * Fills the rules of cluster roles that gather others with the rules of those (kubernetes pkg/controller/clusterroleaggregation): sorted
 * by name, each rule once. Every replica may run one: all come to the same result.
 */
export class ClusterRoleAggregationController {
  readonly #options: ClusterRoleAggregationOptions;
  readonly #abort = new AbortController();
  readonly #roles = new Map<string, ClusterRole>();
  readonly #informer: Informer;
  readonly #queue: RetryQueue<string>;

  constructor(options: ClusterRoleAggregationOptions) {
    this.#options = options;
    const { scheduler, logger } = options;
    this.#queue = new RetryQueue({
      handle: (name) => this.#aggregate(name),
      scheduler,
      logger,
      observer: options.observeQueue?.(NAME),
    });
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

  /** Whatever changes may belong to any role that gathers. */
  #take({ key, data }: StoredObject, gone: boolean): void {
    if (gone) this.#roles.delete(key.name);
    else this.#roles.set(key.name, JSON.parse(data) as ClusterRole);
    for (const [name, role] of this.#roles) if (role.aggregationRule) this.#queue.add(name, name);
  }

  async #aggregate(name: string): Promise<undefined> {
    const role = this.#roles.get(name);
    if (!role?.aggregationRule) return;
    const rules = this.#gathered(name, role);
    if (isDeepStrictEqual(rules, role.rules ?? [])) return;
    const { clusterRoles } = this.#options;
    const target = { version: clusterRoles.definition.storageVersion, namespace: '', name };
    const next = (live: unknown): ClusterRole => ({ ...(live as ClusterRole), rules });
    try {
      await clusterRoles.update(
        systemContext(NAME, this.#abort.signal),
        target,
        { next, mayCreate: false, tracksFields: 'update', retries: true },
        { dryRun: false, fieldManager: NAME, fieldValidation: 'Ignore' },
      );
    } catch (error) {
      if (!(error instanceof ApiError && error.status.reason === 'NotFound')) throw error;
    }
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
      .filter(([name, { metadata }]) => name !== except && selector.matches(metadata.labels))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, role]) => role);
  }
}
