import type { Logger } from 'pino';
import type { ServiceAccount } from '../../apis/core/service-account/service-account.js';
import type { ServiceAccountIndex } from '../../auth/authentication/service-account/service-account-index.js';
import { ServiceAccountFeed } from '../../controllers/service-account-feed.js';
import type { ResourceStore } from '../../registry/resource-store.js';
import { systemScheduler } from '../../storage/scheduler.js';

/** Keeps the index equal to what is stored; the returned function ends it. */
export async function followServiceAccounts(
  index: ServiceAccountIndex,
  accounts: ResourceStore<ServiceAccount>,
  logger: Logger,
): Promise<() => Promise<void>> {
  const feed = new ServiceAccountFeed({ index, accounts, scheduler: systemScheduler, logger });
  await feed.start();
  return () => {
    feed.stop();
    return Promise.resolve();
  };
}
