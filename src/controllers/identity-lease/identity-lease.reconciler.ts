import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { microTime, microsOf } from '../../apimachinery/go/go-time.js';
import { DEFAULT_LIST_OPTIONS } from '../../apimachinery/options/list-options.js';
import type { Lease } from '../../apis/coordination/lease/lease.schema.js';
import type { AuthSettings } from '../../auth/auth.settings.js';
import { API_SERVER, systemContext } from '../../registry/resource/request-context.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import { type ReplicaAddress, IDENTITY_LEASE, IDENTITY_LEASE_GC } from '../machinery/declared-controller.js';
import { type QueueServices, type RetryQueue, deleteState, queueOf } from '../machinery/retry-queue.js';

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

const RENEW_EVERY_MS = 10_000;
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
    return RENEW_EVERY_MS;
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

export interface IdentityLeaseGcOptions extends QueueServices {
  readonly leases: ResourceStore<Lease>;
  /** Value of the identity label. */
  readonly component: string;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
}

const COLLECT_EVERY_MS = 3_600_000;

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
    return COLLECT_EVERY_MS;
  }
}

const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';
/** The component name that clients look for. */
const IDENTITY_COMPONENT = 'kube-apiserver';
/** The one behind a cluster, whose kube-apiservers would otherwise take this server for a peer. */
const COMPONENT_BEHIND_CLUSTER = 'coordination-apiserver';
const IDENTITY_NAMESPACE = 'kube-system';
const IDENTITY_DURATION_SECONDS = 3600;

/** The value of the identity label. */
export function identityComponent({ clusterKubeconfig }: Pick<AuthSettings, 'clusterKubeconfig'>): string {
  return clusterKubeconfig === '' ? IDENTITY_COMPONENT : COMPONENT_BEHIND_CLUSTER;
}

function identityTarget(leases: ResourceStore<Lease>, name: string): RequestTarget {
  return { version: leases.definition.storageVersion, namespace: IDENTITY_NAMESPACE, name };
}

/** Whether a replica failed to renew its lease in time. A lease without a renewal time counts as expired. */
function isIdentityExpired({ spec }: Lease, nowMs: number): boolean {
  const renewed = microsOf(spec?.renewTime ?? undefined);
  const seconds = spec?.leaseDurationSeconds;
  return renewed === undefined || seconds === undefined || seconds === null || renewed / 1000 + seconds * 1000 < nowMs;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const HASH_BYTES = 16;

/**
 * A replica's name, stable across restarts: `apiserver-` and 26 characters (apiserver pkg/server/config.go). Includes the port, and the
 * worker's number if several share it, so that replicas on one host have different names.
 */
export function serverIdentity(hostname: string, port: number, worker?: number): string {
  const hash = createHash('sha256');
  const parts = [hostname, 'kube-apiserver', String(port), ...(worker === undefined ? [] : [String(worker)])];
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  return `apiserver-${base32(hash.digest().subarray(0, HASH_BYTES))}`;
}

/** What this process calls itself in its identity lease; `holder` is unique to it. */
export function replicaIdentity({ port, worker }: ReplicaAddress): { name: string; holder: string; hostname: string } {
  const host = hostname();
  const name = serverIdentity(host, port, worker);
  return { name, holder: `${name}_${randomUUID()}`, hostname: host };
}

/** RFC 4648, lower case, no padding. */
function base32(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`) << 2n;
  let out = '';
  for (let index = 0; index < 26; index++, bits >>= 5n) out = `${ALPHABET[Number(bits & 31n)]}${out}`;
  return out;
}
