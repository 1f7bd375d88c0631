import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ServiceAccountStore } from '../../apis/core/service-account/service-account.store.js';
import { leaseTermDefinition } from '../../apis/history/lease-term/lease-term.resource.js';
import { HISTORY_CLUSTER_ROLE } from '../../apis/rbac/bootstrap/bootstrap-cluster-roles.js';
import { ensurePolicy } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { PolicyStores } from '../../apis/rbac/bootstrap/policy.module.js';
import { Access } from '../../auth/access.js';
import { ResourceRegistry } from '../../registry/resource-registry.js';
import { type Scheduler, SCHEDULER } from '../../time/scheduler.js';
import { LOGGER } from '../../telemetry/logger.js';
import { PolicyInformer } from './policy-informer.js';
import { ServiceAccountInformer } from './service-account-informer.js';

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
