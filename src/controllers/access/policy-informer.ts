import type { BindingObject } from '../../auth/authorization/rbac.schema.js';
import type { Logger } from 'pino';
import type { ClusterRole } from '../../apis/rbac/role/role.schema.js';
import type { PolicyIndex } from '../../auth/authorization/rbac/policy-index.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { Scheduler } from '../../time/scheduler.js';
import { Informer } from '../machinery/informer.js';

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
