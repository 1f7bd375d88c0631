import { Inject, Injectable } from '@nestjs/common';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { WatchMetrics } from '../metrics/watch-metrics.js';
import { RequestsInFlight } from '../request/requests-in-flight.js';
import { ServingSettings } from '../settings/serving.settings.js';

@Injectable()
export class WatchServices {
  readonly watchMetrics: WatchMetrics;
  readonly minRequestTimeoutSeconds: number;
  /** Origins whose pages may use WebSockets with their user's certificate. */
  readonly webSocketOrigins: ReadonlySet<string>;

  /** Whether watches that begin with the objects are compressed. */
  readonly compression: boolean;

  constructor(
    readonly inFlight: RequestsInFlight,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
    { minRequestTimeout: minRequestTimeoutSeconds, webSocketAllowedOrigins, watchListCompression }: ServingSettings,
  ) {
    this.watchMetrics = new WatchMetrics(main);
    this.minRequestTimeoutSeconds = minRequestTimeoutSeconds;
    this.compression = watchListCompression;
    this.webSocketOrigins = new Set(webSocketAllowedOrigins);
  }
}
