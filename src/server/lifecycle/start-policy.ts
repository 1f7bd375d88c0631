import type { Logger } from 'pino';
import type { PolicyStores } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { ensurePolicy } from '../../apis/rbac/bootstrap/ensure-policy.js';
import type { PolicyIndex } from '../../auth/authorization/rbac/policy-index.js';
import { PolicyFeed } from '../../controllers/policy-feed.js';
import { systemScheduler } from '../../storage/scheduler.js';

/**
 * Makes sure of the roles and bindings that every server has, and keeps the index equal to what is stored. Resolves once decisions can
 * be made; the returned function ends it.
 */
export async function startPolicy(index: PolicyIndex, stores: PolicyStores, logger: Logger): Promise<() => Promise<void>> {
  await ensurePolicy(stores);
  const { roles, clusterRoles, roleBindings, clusterRoleBindings } = stores;
  const feed = new PolicyFeed({
    index,
    roles: [roles, clusterRoles],
    bindings: [roleBindings, clusterRoleBindings],
    scheduler: systemScheduler,
    logger,
  });
  await feed.start();
  return () => {
    feed.stop();
    return Promise.resolve();
  };
}
