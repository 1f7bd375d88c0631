import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../telemetry/logger.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { type Tracing, TRACING } from '../../telemetry/tracing/tracing.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { AuditRecorder } from './audit-recorder.js';
import { RequestLog } from './request-log.js';
import { RequestMetrics } from './request-metrics.js';

/** Services that record and count each request. */
@Injectable()
export class RequestObservers {
  readonly metrics: RequestMetrics;
  readonly log: RequestLog;

  /** `tracing` is undefined if tracing is off. */
  constructor(
    readonly recorder: AuditRecorder,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
    @Inject(LOGGER) logger: Logger,
    { slowRequestThreshold: slowMs }: ServingSettings,
    @Optional() @Inject(TRACING) readonly tracing?: Tracing,
  ) {
    this.metrics = new RequestMetrics(main);
    this.log = new RequestLog({ logger, slowMs });
  }
}
