import { Module } from '@nestjs/common';
import { Lifecycle } from '../settings/lifecycle.js';
import { LOGGER } from '../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../telemetry/metrics/metric-registry.js';
import type { Logger } from 'pino';
import { AuditSettings } from './audit.settings.js';
import { Auditor } from './auditor.js';
import { openAuditor } from './open-auditor.js';

const auditor = {
  provide: Auditor,
  inject: [AuditSettings, LOGGER, SERVER_METRICS, Lifecycle],
  useFactory: (settings: AuditSettings, logger: Logger, { main }: ServerMetrics, lifecycle: Lifecycle): Auditor | undefined =>
    openAuditor(settings, { logger, metrics: main }, lifecycle),
};

/** Auditing. The Auditor is undefined if the settings name no destination. */
@Module({ providers: [auditor], exports: [Auditor] })
export class AuditModule {}
