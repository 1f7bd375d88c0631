import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { VERSION_INFO } from '../../endpoints/discovery/discovery-documents.js';
import { PUBLIC_HOST } from '../../endpoints/openid/openid.controller.js';
import { Lifecycle } from '../../settings/lifecycle.js';
import { WatchedFiles } from '../../settings/watched-files.js';
import { DatabaseLocation } from '../../storage/database/start/database-url.js';
import { SCHEDULER, systemScheduler } from '../../time/scheduler.js';
import { CLOCK, systemClock } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { ProcessSettings } from '../config/process.settings.js';
import { publicHost } from '../config/server-address.js';
import { VERSION } from './version.js';

/** The parts that exist before Nest starts. */
export interface ProcessParts {
  readonly database: DatabaseLocation;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

const publicHostName = { provide: PUBLIC_HOST, inject: [ProcessSettings], useFactory: publicHost };

const watchedFiles = {
  provide: WatchedFiles,
  inject: [LOGGER, Lifecycle],
  useFactory: (logger: Logger, lifecycle: Lifecycle): WatchedFiles => {
    const files = new WatchedFiles((ms, run) => systemScheduler.after(ms, run), logger);
    lifecycle.onStop(() => files.close());
    return files;
  },
};

/** Provides the parts of the process, its version and its name to all layers. */
@Global()
@Module({})
export class ProcessModule {
  static of({ database, lifecycle, logger, metrics }: ProcessParts): DynamicModule {
    const values = [
      { provide: DatabaseLocation, useValue: database },
      { provide: Lifecycle, useValue: lifecycle },
      { provide: LOGGER, useValue: logger },
      { provide: SERVER_METRICS, useValue: metrics },
      { provide: CLOCK, useValue: systemClock },
      { provide: SCHEDULER, useValue: systemScheduler },
      { provide: VERSION_INFO, useValue: VERSION },
    ];
    return {
      module: ProcessModule,
      providers: [...values, publicHostName, watchedFiles],
      exports: [...values.map(({ provide }) => provide), PUBLIC_HOST, WatchedFiles],
    };
  }
}
