import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { LeaseCandidateStore } from '../../apis/coordination/lease-candidate/lease-candidate.store.js';
import { LeaseStore } from '../../apis/coordination/lease/lease.store.js';
import { NamespaceFinalizeStore } from '../../apis/core/namespace/namespace-finalize.store.js';
import { NamespaceStatusStore } from '../../apis/core/namespace/namespace-status.store.js';
import { ClusterRoleStore } from '../../apis/rbac/cluster-role/cluster-role.store.js';
import { ClusterRoleAggregationReconciler } from '../../controllers/access/cluster-role-aggregation.reconciler.js';
import {
  CLUSTER_ROLE_AGGREGATION,
  EVENT_EXPIRY,
  FINALIZER_CLEARING,
  IDENTITY_LEASE,
  IDENTITY_LEASE_GC,
  LEADER_ELECTION,
  LEASE_CANDIDATE_GC,
  NAMESPACE_DELETION,
} from '../../controllers/machinery/controller-names.js';
import { EventExpiryReconciler } from '../../controllers/events/event-expiry.reconciler.js';
import { FinalizerClearingReconciler } from '../../controllers/deletion/finalizer-clearing.reconciler.js';
import { IdentityLeaseReconciler } from '../../controllers/identity-lease/identity-lease.reconciler.js';
import { IdentityLeaseGcReconciler } from '../../controllers/identity-lease/identity-lease-gc.reconciler.js';
import { serverIdentity } from '../../controllers/identity-lease/server-identity.js';
import { LeaseCandidateGcReconciler } from '../../controllers/leader-election/lease-candidate-gc.reconciler.js';
import { LeaderElectionReconciler } from '../../controllers/leader-election/leader-election.reconciler.js';
import { LeaderLease } from '../../controllers/machinery/leader-lease.js';
import { NamespaceDeletionReconciler } from '../../controllers/deletion/namespace-deletion.reconciler.js';
import type { ObserveQueue } from '../../controllers/machinery/queue-metrics.js';
import { QueueMetrics } from '../../controllers/machinery/queue-metrics.js';
import { ServedVersions } from '../../registry/served-versions.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { systemScheduler } from '../../storage/scheduler.js';
import type { Gauge } from '../../telemetry/metrics/gauge.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { Clock } from '../../telemetry/clock.js';
import type { HttpApplication } from './http-application.js';

export interface ControllersOptions {
  readonly objects: ObjectStore;
  /** Provides the resource stores. */
  readonly application: Pick<HttpApplication, 'get'>;
  /** The port of this replica. */
  readonly port: number;
  /** The worker's number, if several processes share the port. */
  readonly worker: number | undefined;
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
  readonly now: Clock;
  /** `--event-ttl`. */
  readonly eventTtlMs: number;
  /** Whether a controller is enabled (`--controllers`). */
  readonly isEnabled: (name: string) => boolean;
}

interface Controller {
  start(): Promise<void>;
  stop(): Promise<void>;
}

type Factories = Readonly<Record<string, () => Controller>>;

/** Starts the controllers; the returned function stops them. Some run on every replica, the others only on the elected one. */
export async function startControllers(options: ControllersOptions): Promise<() => Promise<void>> {
  const { observe } = new QueueMetrics(options.metrics, () => systemScheduler.now());
  const everywhere = new ControllerGroup(enabled(options, onEveryReplica(options, observe)));
  const elected = new ControllerGroup(enabled(options, onElectedReplica(options, observe)));
  await everywhere.start();
  const { application, logger, now } = options;
  const identity = `${hostname()}_${randomUUID()}`;
  const lease = { leases: application.get(LeaseStore), namespace: 'kube-system', name: LEADER_ELECTION, identity };
  const master = leaderGauge(options.metrics);
  const onLeading = (leading: boolean): void => master.set(leading ? 1 : 0);
  const leader = new LeaderLease({ ...lease, scheduler: systemScheduler, logger, now, onLeading }, elected);
  if (!elected.isEmpty) leader.start();
  return async () => {
    await Promise.all([everywhere.stop(), leader.stop()]);
  };
}

/** The leader gauge, under client-go's name (component-base metrics/prometheus/clientgo/leaderelection). */
function leaderGauge(metrics: MetricRegistry): Gauge {
  const help = 'Whether this replica runs the elected controllers.';
  return metrics.gauge({ name: 'leader_election_master_status', help, labels: ['name'] }).with(LEADER_ELECTION);
}

function onEveryReplica({ objects, application, port, worker, logger, now }: ControllersOptions, observeQueue: ObserveQueue): Factories {
  const shared = { objects, scheduler: systemScheduler, logger, observeQueue, now };
  const { stored } = application.get(ServedVersions);
  const name = serverIdentity(hostname(), port, worker);
  const identity = { name, holder: `${name}_${randomUUID()}`, hostname: hostname() };
  return {
    [NAMESPACE_DELETION]: () =>
      new NamespaceDeletionReconciler({
        ...shared,
        content: stored.filter(({ definition }) => definition.namespaced),
        finalize: application.get(NamespaceFinalizeStore),
        status: application.get(NamespaceStatusStore),
      }),
    [FINALIZER_CLEARING]: () => new FinalizerClearingReconciler({ ...shared, resources: stored }),
    [IDENTITY_LEASE]: () => new IdentityLeaseReconciler({ ...shared, ...identity, leases: application.get(LeaseStore) }),
    [CLUSTER_ROLE_AGGREGATION]: () =>
      new ClusterRoleAggregationReconciler({
        clusterRoles: application.get(ClusterRoleStore),
        scheduler: systemScheduler,
        logger,
        observeQueue,
      }),
  };
}

function onElectedReplica({ objects, application, logger, now, eventTtlMs }: ControllersOptions, observeQueue: ObserveQueue): Factories {
  const leases = application.get(LeaseStore);
  const candidates = application.get(LeaseCandidateStore);
  const shared = { candidates, scheduler: systemScheduler, logger, observeQueue, now };
  return {
    [LEADER_ELECTION]: () => new LeaderElectionReconciler({ ...shared, leases }),
    [LEASE_CANDIDATE_GC]: () => new LeaseCandidateGcReconciler(shared),
    [IDENTITY_LEASE_GC]: () => new IdentityLeaseGcReconciler({ ...shared, leases }),
    [EVENT_EXPIRY]: () => new EventExpiryReconciler({ objects, ttlMs: eventTtlMs, scheduler: systemScheduler, logger, now }),
  };
}

function enabled({ isEnabled }: ControllersOptions, factories: Factories): (() => Controller)[] {
  return Object.entries(factories).flatMap(([name, create]) => (isEnabled(name) ? [create] : []));
}

/** Controllers that start and stop together, any number of times; each start creates new ones. */
class ControllerGroup {
  #running: readonly Controller[] = [];

  constructor(private readonly factories: readonly (() => Controller)[]) {}

  get isEmpty(): boolean {
    return this.factories.length === 0;
  }

  async start(): Promise<void> {
    this.#running = this.factories.map((create) => create());
    await Promise.all(this.#running.map((controller) => controller.start()));
  }

  async stop(): Promise<void> {
    const stopping = this.#running;
    this.#running = [];
    await Promise.all(stopping.map((controller) => controller.stop()));
  }
}
