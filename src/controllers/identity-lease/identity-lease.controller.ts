import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { KubeObject } from '../../apimachinery/meta/kube-object.js';
import type { Lease } from '../../apis/coordination/lease/lease.js';
import type { Logger } from 'pino';
import type { ResourceStore } from '../../registry/resource-store.js';
import { API_SERVER, systemContext } from '../../registry/system-context.js';
import type { Scheduler } from '../../storage/scheduler.js';
import { microTime } from '../leader-election/micro-time.js';
import { IDENTITY_LEASE } from '../controller-names.js';
import type { ObserveQueue } from '../queue-metrics.js';
import { RetryQueue } from '../retry-queue.js';
import { IDENTITY_COMPONENT, IDENTITY_DURATION_SECONDS, IDENTITY_LABEL, identityTarget } from './identity-lease.js';

export interface IdentityLeaseOptions {
  readonly leases: ResourceStore<Lease>;
  /** Name of the lease, which stays over restarts. */
  readonly name: string;
  /** Unique to this process. */
  readonly holder: string;
  readonly hostname: string;
  readonly scheduler: Scheduler;
  readonly logger: Logger;
  readonly observeQueue?: ObserveQueue;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

const PERIOD_MS = 10_000;
/** The longest start of a hostname that can be the value of a label. */
const LABEL_VALUE = /^.{0,62}[A-Za-z0-9]/;

/**
 * Shows that this replica lives, by a lease in kube-system that it renews every ten seconds with one write, and deletes when it
 * stops (component-helpers apimachinery/lease).
 */
export class IdentityLeaseController {
  readonly #options: IdentityLeaseOptions;
  readonly #queue: RetryQueue<string>;

  constructor(options: IdentityLeaseOptions) {
    this.#options = options;
    this.#queue = new RetryQueue({
      handle: () => this.#renew(),
      scheduler: options.scheduler,
      logger: options.logger,
      observer: options.observeQueue?.(IDENTITY_LEASE),
    });
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
      next: (live: KubeObject | undefined) => this.#next(live),
      mayCreate: true,
      tracksFields: 'update',
      retries: true,
    } as const;
    await leases.update(systemContext(API_SERVER), identityTarget(leases, name), source, WRITE);
    return PERIOD_MS;
  }

  #next(live: Lease = { metadata: { name: this.#options.name } }): Lease {
    const { holder, hostname, now } = this.#options;
    const labels = {
      ...live.metadata.labels,
      [IDENTITY_LABEL]: IDENTITY_COMPONENT,
      'kubernetes.io/hostname': LABEL_VALUE.exec(hostname)?.[0] ?? '',
    };
    return {
      ...live,
      metadata: { ...live.metadata, labels },
      spec: { holderIdentity: holder, leaseDurationSeconds: IDENTITY_DURATION_SECONDS, renewTime: microTime(now() * 1000) },
    };
  }

  async #delete(): Promise<void> {
    const { leases, name, holder, logger } = this.#options;
    try {
      const { data, uid, revision } = await leases.get(identityTarget(leases, name), { resourceVersion: '' });
      // a process that has taken this one's place renews it already
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
