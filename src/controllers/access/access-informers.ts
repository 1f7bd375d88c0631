import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { ServiceAccountStore } from '../../apis/core/service-account/service-account.resource.js';
import { leaseTermDefinition } from '../../apis/history/lease-term/lease-term.resource.js';
import { HISTORY_CLUSTER_ROLE } from '../../apis/rbac/bootstrap/bootstrap-policy.js';
import { ensurePolicy } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { PolicyStores } from '../../apis/rbac/bootstrap/policy.module.js';
import type { ClusterRole } from '../../apis/rbac/role/role.schema.js';
import { Access } from '../../auth/access.js';
import type { KnownServiceAccount, ServiceAccountIndex } from '../../auth/authentication/service-account/service-account-issuer.js';
import type { BindingObject } from '../../auth/authorization/rbac.schema.js';
import type { PolicyIndex } from '../../auth/authorization/rbac/policy-index.js';
import { ResourceRegistry } from '../../registry/resource-registry.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import type { StoredObject } from '../../storage/object-store.js';
import { LOGGER } from '../../telemetry/logger.js';
import { type Scheduler, SCHEDULER } from '../../time/scheduler.js';
import { Informer } from '../machinery/informer.js';

/** Keeps what authentication and authorization look up equal to what is stored, on every replica. */
@Injectable()
export class AccessInformers {
  @Inject(SCHEDULER) private readonly scheduler!: Scheduler;
  #policy: PolicyInformer | undefined;
  #accounts: ServiceAccountInformer | undefined;

  constructor(
    private readonly access: Access,
    private readonly accounts: ServiceAccountStore,
    private readonly policyStores: PolicyStores,
    private readonly registry: ResourceRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Resolves once requests can be authenticated and authorized. If roles count, ensures the bootstrap roles and bindings first. */
  async start(): Promise<void> {
    const { access, accounts, scheduler, logger } = this;
    if (access.usesRoles) await this.#startPolicy();
    const index = access.serviceAccountTokens.accounts;
    this.#accounts = new ServiceAccountInformer({ index, accounts, scheduler, logger });
    await this.#accounts.start();
  }

  stop(): void {
    this.#accounts?.stop();
    this.#policy?.stop();
  }

  async #startPolicy(): Promise<void> {
    const { roles, clusterRoles, roleBindings, clusterRoleBindings } = this.policyStores;
    const servesHistory = this.registry.groups.some(({ name }) => name === leaseTermDefinition.group);
    await ensurePolicy(this.policyStores, servesHistory ? [HISTORY_CLUSTER_ROLE] : []);
    this.#policy = new PolicyInformer({
      index: this.access.policy,
      roles: [roles, clusterRoles],
      bindings: [roleBindings, clusterRoleBindings],
      scheduler: this.scheduler,
      logger: this.logger,
    });
    await this.#policy.start();
  }
}

export interface PolicyInformerOptions {
  readonly index: PolicyIndex;
  /** Roles and cluster roles. */
  readonly roles: readonly ResourceStore[];
  /** Role bindings and cluster role bindings. */
  readonly bindings: readonly ResourceStore[];
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/** Keeps RBAC's policy index equal to what is stored. Runs on every replica, whichever controllers are enabled. */
export class PolicyInformer {
  readonly #index: PolicyIndex;
  readonly #informers: readonly Informer[];

  constructor({ index, roles, bindings, scheduler, logger }: PolicyInformerOptions) {
    this.#index = index;
    const follow = (store: ResourceStore, onChange: (object: StoredObject, gone: boolean) => void) =>
      new Informer({ store, scheduler, logger, onChange });
    this.#informers = [
      ...roles.map((store) => follow(store, (object, gone) => this.#takeRole(object, gone))),
      ...bindings.map((store) => follow(store, (object, gone) => this.#takeBinding(object, gone))),
    ];
  }

  /** Resolves when everything has been read. */
  async start(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.start()));
    await Promise.all(this.#informers.map(({ synced }) => synced));
  }

  stop(): void {
    for (const informer of this.#informers) informer.stop();
  }

  #takeRole({ key, data }: StoredObject, gone: boolean): void {
    if (gone) this.#index.deleteRole(key.namespace, key.name);
    else this.#index.setRole(key.namespace, key.name, (JSON.parse(data) as ClusterRole).rules ?? []);
  }

  #takeBinding({ key, data }: StoredObject, gone: boolean): void {
    if (gone) return this.#index.deleteBinding(key.namespace, key.name);
    const { subjects = [], roleRef } = JSON.parse(data) as BindingObject;
    if (roleRef) this.#index.setBinding({ name: key.name, namespace: key.namespace, subjects, roleRef });
  }
}

interface ServiceAccountInformerOptions {
  readonly index: ServiceAccountIndex;
  readonly accounts: ResourceStore;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * Keeps the index that service account tokens are checked against equal to what is stored. Runs on every replica, whichever controllers are
 * enabled.
 */
class ServiceAccountInformer {
  readonly #informer: Informer;

  constructor({ index, accounts, scheduler, logger }: ServiceAccountInformerOptions) {
    index.readFrom((namespace, name) => read(accounts, namespace, name));
    this.#informer = new Informer({
      store: accounts,
      scheduler,
      logger,
      onChange: (object, gone) => {
        const { namespace, name } = object.key;
        if (gone) index.delete(namespace, name);
        else index.set(namespace, name, known(object));
      },
    });
  }

  /** Resolves when the watch has started; tokens can be checked before the index is complete. */
  start(): Promise<void> {
    return this.#informer.start();
  }

  stop(): void {
    this.#informer.stop();
  }
}

async function read(accounts: ResourceStore, namespace: string, name: string): Promise<KnownServiceAccount | undefined> {
  try {
    const target = { version: accounts.definition.storageVersion, namespace, name };
    return known(await accounts.get(target, { resourceVersion: '' }));
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw error;
  }
}

function known({ uid, terminating, data }: StoredObject): KnownServiceAccount {
  if (!terminating) return { uid };
  const { deletionTimestamp = '' } = (JSON.parse(data) as KubeObject).metadata;
  return { uid, deletedAt: Date.parse(deletionTimestamp) };
}
