import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { LeaseStore } from '../apis/coordination/lease/lease.module.js';
import type { Gauge } from '../telemetry/metrics/metric-family.js';
import { type ServerMetrics, SERVER_METRICS } from '../telemetry/metrics/metric-registry.js';
import { ControllersSettings } from './controllers.settings.js';
import {
  type DeclaredController,
  type ReplicaAddress,
  ControllerGroup,
  ControllerServices,
  DECLARED_CONTROLLERS,
  LEADER_ELECTION,
  isControllerEnabled,
} from './machinery/declared-controller.js';
import { LeaderLease } from './machinery/leader-lease.js';

/** Runs the enabled controllers: some on every replica, the others only on the elected one. */
@Injectable()
export class ControllerManager {
  readonly #enabled: readonly DeclaredController[];
  #everywhere: ControllerGroup | undefined;
  #leader: LeaderLease | undefined;

  constructor(
    { controllers }: ControllersSettings,
    @Inject(DECLARED_CONTROLLERS) declared: readonly DeclaredController[],
    private readonly services: ControllerServices,
    private readonly leases: LeaseStore,
    @Inject(SERVER_METRICS) private readonly metrics: ServerMetrics,
  ) {
    this.#enabled = declared.filter(({ name }) => isControllerEnabled(controllers, name));
  }

  /** Resolves once the controllers of every replica run; the elected ones start when this replica is elected. */
  async start(address: ReplicaAddress): Promise<void> {
    const group = (elected: boolean): ControllerGroup =>
      new ControllerGroup(
        this.#enabled
          .filter((each) => each.elected === elected)
          .map(
            ({ create }) =>
              () =>
                create(address),
          ),
      );
    this.#everywhere = group(false);
    await this.#everywhere.start();
    this.#leader = this.#elect(group(true));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#everywhere?.stop(), this.#leader?.stop()]);
  }

  #elect(group: ControllerGroup): LeaderLease {
    const { scheduler, logger, now } = this.services;
    // Behind a cluster, the lease of that name is kube-apiserver's own.
    const name = this.services.auth.clusterKubeconfig === '' ? LEADER_ELECTION : 'coordination-apiserver';
    const lease = { leases: this.leases, namespace: 'kube-system', name, identity: `${hostname()}_${randomUUID()}` };
    const leading = leaderGauge(this.metrics);
    const onLeading = (leads: boolean): void => leading.set(leads ? 1 : 0);
    const leader = new LeaderLease({ ...lease, scheduler, logger, now, onLeading }, group);
    if (!group.isEmpty) leader.start();
    return leader;
  }
}

/** The leader gauge, under client-go's name (component-base metrics/prometheus/clientgo/leaderelection). */
function leaderGauge({ main }: ServerMetrics): Gauge {
  const help = 'Whether this replica runs the elected controllers.';
  return main.gauge({ name: 'leader_election_master_status', help, labels: ['name'] }).with(LEADER_ELECTION);
}
