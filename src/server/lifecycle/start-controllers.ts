import type { Logger } from 'pino';
import { FinalizerClearingController } from '../../controllers/finalizer-clearing.controller.js';
import { NamespaceDeletionController } from '../../controllers/namespace-deletion.controller.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { systemScheduler } from '../../storage/scheduler.js';
import type { Clock } from '../../telemetry/clock.js';
import type { Resources } from './resources.js';

export interface ControllersOptions {
  readonly objects: ObjectStore;
  readonly resources: Resources;
  readonly logger: Logger;
  readonly now: Clock;
}

/** Starts the controllers; the returned function stops them. */
export async function startControllers({ objects, resources, logger, now }: ControllersOptions): Promise<() => Promise<void>> {
  const shared = { objects, scheduler: systemScheduler, logger, now };
  const controllers = [
    new NamespaceDeletionController({
      ...shared,
      content: resources.namespaced,
      finalize: resources.namespaceFinalize,
      status: resources.namespaceStatus,
    }),
    new FinalizerClearingController({ ...shared, resources: resources.served }),
  ];
  await Promise.all(controllers.map((controller) => controller.start()));
  return async () => {
    await Promise.all(controllers.map((controller) => controller.stop()));
  };
}
