import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { ResourceStore } from '../../registry/resource/resource-store.js';
import { API_SERVER, systemContext } from '../../registry/resource/request-context.js';
import { microTime } from '../../apimachinery/go/go-time.js';
import { IDENTITY_LEASE } from '../machinery/controller-names.js';
import { type QueueServices, type RetryQueue, queueOf } from '../machinery/retry-queue.js';
import { IDENTITY_DURATION_SECONDS, IDENTITY_LABEL, identityTarget } from './identity-lease.js';

export interface IdentityLeaseOptions extends QueueServices {
  readonly leases: ResourceStore<Lease>;
  /** Name of the lease; the same after a restart. */
  readonly name: string;
  /** Unique to this process. */
  readonly holder: string;
  readonly hostname: string;
  /** Value of the identity label. */
  readonly component: string;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

const PERIOD_MS = 10_000;
/** The longest prefix of a hostname that is a valid label value. */
const LABEL_VALUE = /^.{0,62}[A-Za-z0-9]/;

/**
 * Shows that this replica is alive with a lease in kube-system, renewed every ten seconds with one write and deleted on shutdown
 * (component-helpers apimachinery/lease).
 */
export class IdentityLeaseReconciler {
  readonly #options: IdentityLeaseOptions;
  readonly #queue: RetryQueue<string>;

  constructor(options: IdentityLeaseOptions) {
    this.#options = options;
    this.#queue = queueOf(IDENTITY_LEASE, options, () => this.#renew());
  }

  start(): Promise<void> {
    this.#queue.add(this.#options.name, this.#options.name);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
    await this.#delete();
  }

  async #renew(): Promise<number> {
    const { leases, name } = this.#options;
    const source = {
      next: (live: Lease | undefined) => this.#next(live),
      mayCreate: true,
      tracksFields: 'update',
      retries: true,
    } as const;
    await leases.update(systemContext(API_SERVER), identityTarget(leases, name), source, WRITE);
    return PERIOD_MS;
  }

  #next(live: Lease = { metadata: { name: this.#options.name }, spec: {} }): Lease {
    const { holder, hostname, component, now } = this.#options;
    const labels = {
      ...live.metadata.labels,
      [IDENTITY_LABEL]: component,
      'kubernetes.io/hostname': LABEL_VALUE.exec(hostname)?.[0] ?? '',
    };
    return {
      ...live,
      metadata: { ...live.metadata, labels },
      spec: { holderIdentity: holder, leaseDurationSeconds: IDENTITY_DURATION_SECONDS, renewTime: microTime(now()) },
    };
  }

  async #delete(): Promise<void> {
    const { leases, name, holder, logger } = this.#options;
    try {
      const { data, uid, revision } = await leases.get(identityTarget(leases, name), { resourceVersion: '' });
      // a successor of this process already renews it
      if ((JSON.parse(data) as Lease).spec?.holderIdentity !== holder) return;
      const options = { dryRun: false, uid, resourceVersion: String(revision) };
      await leases.delete(systemContext(API_SERVER), identityTarget(leases, name), options);
    } catch (error) {
      if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) {
        logger.warn({ err: error, lease: name }, 'cannot delete the lease of this replica');
      }
    }
  }
}

const WRITE = { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' } as const;
