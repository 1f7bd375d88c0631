import { FinalizerClearingController } from '../../../src/controllers/finalizer-clearing.controller.js';
import { Informer } from '../../../src/controllers/informer.js';
import { LeaderLease } from '../../../src/controllers/leader-lease.js';
import { NamespaceDeletionController } from '../../../src/controllers/namespace-deletion.controller.js';
import type { Holders } from '../check/holders.js';
import type { World } from '../world/world.js';
import { Api } from './api.js';
import { loggerOf } from './simulated-server.js';
import type { SimulatedServer } from './simulated-server.js';

/** Where the leases of elections are. */
export const SYSTEM_NAMESPACE = 'kube-system';

/** The controllers of one server, as a replica runs them, over the registry. */
export class ControlPlane {
  readonly api: Api;
  readonly informer: Informer;

  constructor(api: Api, informer: Informer) {
    this.api = api;
    this.informer = informer;
  }
}

/** Starts the controllers of a server; what it answers stops them. */
export async function startControlPlane(
  world: World,
  server: SimulatedServer,
  holders: Holders,
): Promise<{ plane: ControlPlane; stop: () => Promise<void> }> {
  const { store, process } = server;
  if (!store) throw new Error('the server has no store');
  const logger = loggerOf(world);
  const api = new Api(store);
  const shared = { objects: store, scheduler: world, logger, now: () => Date.now() };
  const namespaces = new NamespaceDeletionController({ ...shared, content: [api.leases], finalize: api.finalize, status: api.status });
  const finalizers = new FinalizerClearingController({ ...shared, resources: [api.leases] });
  const informer = new Informer({ store: api.leases, scheduler: world, logger, onChange: () => undefined });
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
