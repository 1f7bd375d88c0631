import { Inject, Injectable } from '@nestjs/common';
import { Storage } from '../../storage/storage.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { createLimits } from '../flow-control/create-limits.js';
import type { RequestLimiter } from '../flow-control/request-limiter.js';
import type { WatchesOfUsers } from '../flow-control/watches-of-users.js';
import { RequestsInFlight } from '../request/requests-in-flight.js';
import { servingLimits } from '../settings/serving-limits.js';
import { ServingSettings } from '../settings/serving.settings.js';

/** Limits the number and duration of requests, and tracks those in progress. */
@Injectable()
export class RequestLimiting {
  readonly limiter: RequestLimiter;
  readonly watches: WatchesOfUsers;
  readonly requestTimeoutMs: number;

  constructor(
    readonly inFlight: RequestsInFlight,
    settings: ServingSettings,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
    @Inject(CLOCK) now: Clock,
    { sizes: resourceSizes }: Storage,
  ) {
    const { requestTimeout: requestTimeoutMs } = settings;
    const limits = servingLimits(settings).requests;
    const { limiter, watches } = createLimits({ limits, requestTimeoutMs, now, resourceSizes }, main);
    this.limiter = limiter;
    this.watches = watches;
    this.requestTimeoutMs = requestTimeoutMs;
  }
}
