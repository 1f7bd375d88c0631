import type { Logger } from 'pino';
import type { PolicyStores } from '../../apis/rbac/bootstrap/ensure-policy.js';
import { ensurePolicy } from '../../apis/rbac/bootstrap/ensure-policy.js';
import type { PolicyIndex } from '../../auth/authorization/rbac/policy-index.js';
import { PolicyInformer } from '../../controllers/access/policy-informer.js';
import { systemScheduler } from '../../storage/scheduler.js';

/**
 * Ensures the bootstrap roles and bindings, and keeps the index in step with the stored ones. Resolves once decisions can be made; the
 * returned function stops it.
 */
export async function startPolicy(index: PolicyIndex, stores: PolicyStores, logger: Logger): Promise<() => Promise<void>> {
  await ensurePolicy(stores);
  const { roles, clusterRoles, roleBindings, clusterRoleBindings } = stores;
  const informer = new PolicyInformer({
    index,
    roles: [roles, clusterRoles],
    bindings: [roleBindings, clusterRoleBindings],
    scheduler: systemScheduler,
    logger,
  });
  await informer.start();
  return () => {
    informer.stop();
    return Promise.resolve();
  };
}
