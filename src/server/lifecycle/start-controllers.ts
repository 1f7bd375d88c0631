import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { ClusterRoleAggregationController } from '../../controllers/cluster-role-aggregation.controller.js';
import {
  CLUSTER_ROLE_AGGREGATION,
  EVENT_EXPIRY,
  FINALIZER_CLEARING,
  IDENTITY_LEASE,
  IDENTITY_LEASE_GC,
  LEADER_ELECTION,
  LEASE_CANDIDATE_GC,
  NAMESPACE_DELETION,
} from '../../controllers/controller-names.js';
import { EventExpiryController } from '../../controllers/event-expiry.controller.js';
import { FinalizerClearingController } from '../../controllers/finalizer-clearing.controller.js';
import { IdentityLeaseController } from '../../controllers/identity-lease/identity-lease.controller.js';
import { IdentityLeaseGcController } from '../../controllers/identity-lease/identity-lease-gc.controller.js';
import { serverIdentity } from '../../controllers/identity-lease/server-identity.js';
import { LeaseCandidateGcController } from '../../controllers/leader-election/lease-candidate-gc.controller.js';
import { LeaderElectionController } from '../../controllers/leader-election/leader-election.controller.js';
import { LeaderLease } from '../../controllers/leader-lease.js';
import { NamespaceDeletionController } from '../../controllers/namespace-deletion.controller.js';
import type { ObserveQueue } from '../../controllers/queue-metrics.js';
import { QueueMetrics } from '../../controllers/queue-metrics.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { systemScheduler } from '../../storage/scheduler.js';
import type { Gauge } from '../../telemetry/metrics/gauge.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { Clock } from '../../telemetry/clock.js';
import type { Resources } from './resources.js';

export interface ControllersOptions {
  readonly objects: ObjectStore;
  readonly resources: Resources;
  /** The port that this replica serves. */
  readonly port: number;
  /** Its number among those that share the port, if any do. */
  readonly worker: number | undefined;
  readonly logger: Logger;
  readonly metrics: MetricRegistry;
  readonly now: Clock;
  /** `--event-ttl`. */
  readonly eventTtlMs: number;
  /** Whether a controller is to run (`--controllers`). */
  readonly isEnabled: (name: string) => boolean;
}

interface Controller {
  start(): Promise<void>;
  stop(): Promise<void>;
}

type Factories = Readonly<Record<string, () => Controller>>;

/** Starts the controllers; the returned function stops them. Some run on every replica, the others on the one that is elected. */
export async function startControllers(options: ControllersOptions): Promise<() => Promise<void>> {
  const { observe } = new QueueMetrics(options.metrics, () => systemScheduler.now());
  const everywhere = new ControllerGroup(enabled(options, onEveryReplica(options, observe)));
  const elected = new ControllerGroup(enabled(options, onElectedReplica(options, observe)));
  await everywhere.start();
  const { resources, logger, now } = options;
  const identity = `${hostname()}_${randomUUID()}`;
  const lease = { leases: resources.leases, namespace: 'kube-system', name: LEADER_ELECTION, identity };
  const master = leaderGauge(options.metrics);
  const onLeading = (leading: boolean): void => master.set(leading ? 1 : 0);
  const leader = new LeaderLease({ ...lease, scheduler: systemScheduler, logger, now, onLeading }, elected);
  if (!elected.isEmpty) leader.start();
  return async () => {
    await Promise.all([everywhere.stop(), leader.stop()]);
  };
}

/** By client-go's name (component-base metrics/prometheus/clientgo/leaderelection). */
function leaderGauge(metrics: MetricRegistry): Gauge {
  const help = 'Whether this replica runs the elected controllers.';
  return metrics.gauge({ name: 'leader_election_master_status', help, labels: ['name'] }).with(LEADER_ELECTION);
}

function onEveryReplica({ objects, resources, port, worker, logger, now }: ControllersOptions, observeQueue: ObserveQueue): Factories {
  const shared = { objects, scheduler: systemScheduler, logger, observeQueue, now };
  const name = serverIdentity(hostname(), port, worker);
  const identity = { name, holder: `${name}_${randomUUID()}`, hostname: hostname() };
  return {
    [NAMESPACE_DELETION]: () =>
      new NamespaceDeletionController({
        ...shared,
        content: resources.namespaced,
        finalize: resources.namespaceFinalize,
        status: resources.namespaceStatus,
      }),
    [FINALIZER_CLEARING]: () => new FinalizerClearingController({ ...shared, resources: resources.stored }),
    [IDENTITY_LEASE]: () => new IdentityLeaseController({ ...shared, ...identity, leases: resources.leases }),
    [CLUSTER_ROLE_AGGREGATION]: () =>
      new ClusterRoleAggregationController({
        clusterRoles: resources.policy.clusterRoles,
        scheduler: systemScheduler,
        logger,
        observeQueue,
      }),
  };
}

function onElectedReplica({ objects, resources, logger, now, eventTtlMs }: ControllersOptions, observeQueue: ObserveQueue): Factories {
  const { leases, leaseCandidates: candidates } = resources;
  const shared = { candidates, scheduler: systemScheduler, logger, observeQueue, now };
  return {
    [LEADER_ELECTION]: () => new LeaderElectionController({ ...shared, leases }),
    [LEASE_CANDIDATE_GC]: () => new LeaseCandidateGcController(shared),
    [IDENTITY_LEASE_GC]: () => new IdentityLeaseGcController({ ...shared, leases }),
    [EVENT_EXPIRY]: () => new EventExpiryController({ objects, ttlMs: eventTtlMs, scheduler: systemScheduler, logger, now }),
  };
}

function enabled({ isEnabled }: ControllersOptions, factories: Factories): (() => Controller)[] {
  return Object.entries(factories).flatMap(([name, create]) => (isEnabled(name) ? [create] : []));
}

/** Controllers that start and stop together, any number of times: each start makes new ones. */
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
