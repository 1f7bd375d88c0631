import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { type VersionInfo, VERSION_INFO } from '../../endpoints/discovery/discovery-documents.js';
import { PUBLIC_HOST } from '../../endpoints/openid/openid.controller.js';
import { Lifecycle } from '../../settings/lifecycle.js';
import { PROGRAM_VERSION } from '../../settings/program-files.js';
import { WatchedFiles } from '../../settings/watched-files.js';
import { DatabaseLocation } from '../../storage/database/start/database-url.js';
import { CLOCK, systemClock } from '../../telemetry/clock.js';
import { LOGGER } from '../../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { SCHEDULER, systemScheduler } from '../../time/scheduler.js';
import { ProcessSettings } from '../config/process.settings.js';
import { publicHost } from '../config/server-address.js';

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

/** Go's names of the architectures. */
const ARCHITECTURES: ReadonlyMap<string, string> = new Map(Object.entries({ x64: 'amd64', ia32: '386' }));

/** The Kubernetes version whose API this server implements; the build metadata after the plus names the server. */
export const VERSION: VersionInfo = {
  major: '1',
  minor: '37',
  emulationMajor: '1',
  emulationMinor: '37',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '36',
  gitVersion: `v1.37.2+coordination-apiserver.${PROGRAM_VERSION}`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${ARCHITECTURES.get(process.arch) ?? process.arch}`,
};
