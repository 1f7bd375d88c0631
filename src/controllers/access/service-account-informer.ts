import type { Logger } from 'pino';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { KnownServiceAccount, ServiceAccountIndex } from '../../auth/authentication/service-account/service-account-issuer.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { Scheduler } from '../../time/scheduler.js';
import { Informer } from '../machinery/informer.js';

export interface ServiceAccountInformerOptions {
  readonly index: ServiceAccountIndex;
  readonly accounts: ResourceStore;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
}

/**
 * Keeps the index that service account tokens are checked against equal to what is stored. Runs on every replica, whichever controllers are
 * enabled.
 */
export class ServiceAccountInformer {
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
