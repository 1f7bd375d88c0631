import type { Logger } from 'pino';
import type { ServiceAccount } from '../../apis/core/service-account/service-account.js';
import type { ServiceAccountIndex } from '../../auth/authentication/service-account/service-account-index.js';
import { ServiceAccountInformer } from '../../controllers/access/service-account-informer.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { systemScheduler } from '../../storage/scheduler.js';

/** Keeps the index in step with the stored accounts; the returned function stops it. */
export async function followServiceAccounts(
  index: ServiceAccountIndex,
  accounts: ResourceStore<ServiceAccount>,
  logger: Logger,
): Promise<() => Promise<void>> {
  const informer = new ServiceAccountInformer({ index, accounts, scheduler: systemScheduler, logger });
  await informer.start();
  return () => {
    informer.stop();
    return Promise.resolve();
  };
}
