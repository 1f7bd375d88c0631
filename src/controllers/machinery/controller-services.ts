import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuthSettings } from '../../auth/auth.settings.js';
import { type ObjectStore, OBJECT_STORE } from '../../storage/object-store.js';
import { type Scheduler, SCHEDULER } from '../../time/scheduler.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { type ObserveQueue, QueueMetrics } from './queue-metrics.js';

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
