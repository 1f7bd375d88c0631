import { type FactoryProvider, Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuthSettings } from '../../auth/auth.settings.js';
import { type ObjectStore, OBJECT_STORE } from '../../storage/object-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { type Scheduler, SCHEDULER } from '../../time/scheduler.js';
import { type ObserveQueue, QueueMetrics } from './retry-queue.js';

/** Where this replica serves. */
export interface ReplicaAddress {
  readonly port: number;
  /** The worker's number, if several processes share the port. */
  readonly worker: number | undefined;
}

/** A controller as the module declares it. */
export interface DeclaredController {
  /** As in `--controllers`. */
  readonly name: string;
  /** Whether it runs on the elected replica only, otherwise on every one. */
  readonly elected: boolean;
  /** Makes a new one for each start. */
  readonly create: (address: ReplicaAddress) => Controller;
}

/** Injection token of the list of DeclaredControllers. */
export const DECLARED_CONTROLLERS = Symbol('DeclaredControllers');

type Tokens<Injected extends readonly unknown[]> = { readonly [K in keyof Injected]: abstract new (...services: never[]) => Injected[K] };

type Create<Injected extends readonly unknown[]> = (
  services: ControllerServices & { readonly address: ReplicaAddress },
  ...injected: Injected
) => Controller;

/** How a controller is provided. `create` receives what Nest injects for the tokens. */
const declaration =
  (elected: boolean) =>
  <Injected extends readonly unknown[]>(
    name: string,
    tokens: Tokens<Injected>,
    create: Create<Injected>,
  ): FactoryProvider<DeclaredController> => ({
    provide: Symbol(name),
    inject: [ControllerServices, ...tokens],
    useFactory: (services: ControllerServices, ...injected: unknown[]) => ({
      ...{ name, elected },
      create: (address) => create({ ...services, address }, ...(injected as unknown as Injected)),
    }),
  });

/** The provider of a controller that runs on every replica, and of one that runs on the elected replica only. */
export const onEveryReplica = declaration(false);
export const onElectedReplica = declaration(true);

/** A loop that acts as a client of the registry. It starts once and stops once. */
export interface Controller {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Controllers that start and stop together, any number of times; each start creates new ones. */
export class ControllerGroup {
  readonly #factories: readonly (() => Controller)[];
  #running: readonly Controller[] = [];

  constructor(factories: readonly (() => Controller)[]) {
    this.#factories = factories;
  }

  get isEmpty(): boolean {
    return this.#factories.length === 0;
  }

  async start(): Promise<void> {
    this.#running = this.#factories.map((create) => create());
    await Promise.all(this.#running.map((controller) => controller.start()));
  }

  async stop(): Promise<void> {
    const stopping = this.#running;
    this.#running = [];
    await Promise.all(stopping.map((controller) => controller.stop()));
  }
}

/** What most controllers need. */
@Injectable()
export class ControllerServices {
  @Inject(SCHEDULER) readonly scheduler!: Scheduler;
  readonly observeQueue: ObserveQueue;

  constructor(
    @Inject(OBJECT_STORE) readonly objects: ObjectStore,
    @Inject(LOGGER) readonly logger: Logger,
    @Inject(CLOCK) readonly now: Clock,
    readonly auth: AuthSettings,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
  ) {
    this.observeQueue = new QueueMetrics(main, () => this.scheduler.now()).observe;
  }
}

/** Names of the controllers, as in `--controllers`. They are also the field managers of what the controllers write. */
export const NAMESPACE_DELETION = 'namespace-controller';
export const FINALIZER_CLEARING = 'garbage-collector';
export const LEADER_ELECTION = 'leader-election-controller';
export const LEASE_CANDIDATE_GC = 'leasecandidate-gc-controller';
export const IDENTITY_LEASE = 'identity-lease-controller';
export const IDENTITY_LEASE_GC = 'identity-lease-gc-controller';

export const CLUSTER_ROLE_AGGREGATION = 'clusterrole-aggregation-controller';
export const EVENT_EXPIRY = 'event-expiry-controller';
export const CLUSTER_NAMESPACES = 'cluster-namespace-controller';
export const LEASE_EXPIRY = 'lease-expiry-controller';
export const ABANDONED_LEASES = 'abandoned-lease-controller';

export const CONTROLLERS: readonly string[] = [
  NAMESPACE_DELETION,
  FINALIZER_CLEARING,
  LEADER_ELECTION,
  LEASE_CANDIDATE_GC,
  EVENT_EXPIRY,
  LEASE_EXPIRY,
  ABANDONED_LEASES,
  CLUSTER_ROLE_AGGREGATION,
  IDENTITY_LEASE,
  IDENTITY_LEASE_GC,
  CLUSTER_NAMESPACES,
];

/** Whether a list of names, `-names` and `*` enables a controller (same rules as kube-controller-manager). */
export function isControllerEnabled(selection: readonly string[], name: string): boolean {
  if (selection.includes(name)) return true;
  return !selection.includes(`-${name}`) && selection.includes('*');
}
