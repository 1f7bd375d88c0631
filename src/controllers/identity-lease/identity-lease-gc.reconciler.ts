import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/options/list-options.js';
import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { systemContext } from '../../registry/resource/request-context.js';
import { IDENTITY_LEASE_GC } from '../machinery/controller-names.js';
import { deleteState } from '../machinery/took-effect.js';
import { type QueueServices, type RetryQueue, queueOf } from '../machinery/retry-queue.js';
import { IDENTITY_LABEL, identityTarget, isIdentityExpired } from './identity-lease.js';

export interface IdentityLeaseGcOptions extends QueueServices {
  readonly leases: ResourceStore<Lease>;
  /** Value of the identity label. */
  readonly component: string;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

const PERIOD_MS = 3_600_000;

/** Deletes the leases of dead replicas, at start and then every hour (kubernetes controlplane/controller/apiserverleasegc). */
export class IdentityLeaseGcReconciler {
  readonly #options: IdentityLeaseGcOptions;
  readonly #queue: RetryQueue<string>;

  constructor(options: IdentityLeaseGcOptions) {
    this.#options = options;
    this.#queue = queueOf(IDENTITY_LEASE_GC, options, () => this.#collect());
  }

  start(): Promise<void> {
    this.#queue.add('all', 'all');
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #collect(): Promise<number> {
    const { leases, component, now, logger } = this.#options;
    const identities = { ...DEFAULT_LIST_OPTIONS, labelSelector: `${IDENTITY_LABEL}=${component}` };
    const { objects } = await leases.list(identityTarget(leases, ''), identities);
    for (const stored of objects) {
      if (!isIdentityExpired(JSON.parse(stored.data) as Lease, now())) continue;
      if (!(await deleteState(systemContext(IDENTITY_LEASE_GC), leases, stored))) continue;
      logger.info({ lease: stored.key.name }, 'deleted the lease of a replica that did not renew it in time');
    }
    return PERIOD_MS;
  }
}
