import { FinalizerClearingReconciler } from '../../../src/controllers/deletion/finalizer-clearing.reconciler.js';
import { Informer } from '../../../src/controllers/machinery/informer.js';
import { LeaderLease } from '../../../src/controllers/machinery/leader-lease.js';
import { NamespaceDeletionReconciler } from '../../../src/controllers/deletion/namespace-deletion.reconciler.js';
import type { Holders } from '../check/holders.js';
import type { WallClocks } from '../world/wall-clocks.js';
import type { World } from '../world/world.js';
import { Api } from './api.js';
import { type SimulatedServer, loggerOf } from './simulated-server.js';

/** The namespace of the election leases. */
export const SYSTEM_NAMESPACE = 'kube-system';

/** The controllers of one server, run over the registry as in a replica. */
export class ControlPlane {
  readonly api: Api;
  readonly informer: Informer;

  constructor(api: Api, informer: Informer) {
    this.api = api;
    this.informer = informer;
  }
}

/** Starts the controllers of a server; returns a function that stops them. */
export async function startControlPlane(
  world: World,
  server: SimulatedServer,
  holders: Holders,
  clocks: WallClocks,
): Promise<{ plane: ControlPlane; stop: () => Promise<void> }> {
  const { store, process } = server;
  if (!store) throw new Error('the server has no store');
  const logger = loggerOf(world);
  const scheduler = world.clockOf(process);
  const api = new Api(store);
  const shared = { objects: store, scheduler, logger, now: () => clocks.now(process) };
  const namespaces = new NamespaceDeletionReconciler({ ...shared, content: [api.leases], finalize: api.finalize, status: api.status });
  const finalizers = new FinalizerClearingReconciler({ ...shared, resources: [api.leases] });
  const informer = new Informer({ store: api.leases, scheduler, logger, onChange: () => undefined });
  let leading = false;
  const onLeading = (now: boolean) => {
    leading = now;
    if (now) holders.begins({ lease: 'controllers', process, since: world.now(), believes: () => leading });
  };
  const lease = new LeaderLease(
    { ...shared, leases: api.leases, namespace: SYSTEM_NAMESPACE, name: 'controllers', identity: process.name, onLeading },
    { start: () => Promise.resolve(), stop: () => Promise.resolve() },
  );
  await Promise.all([namespaces.start(), finalizers.start(), informer.start()]);
  lease.start();
  const stop = async () => {
    await lease.stop();
    informer.stop();
    await Promise.all([namespaces.stop(), finalizers.stop()]);
  };
  return { plane: new ControlPlane(api, informer), stop };
}
