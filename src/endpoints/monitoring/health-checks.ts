import { Injectable } from '@nestjs/common';
import { Storage } from '../../storage/storage.js';
import { RequestsInFlight } from '../request/requests-in-flight.js';
import type { HealthCheck } from './health-check.js';
import { RecentCheck } from './recent-check.js';

/** The checks behind /healthz, /livez and /readyz. */
@Injectable()
export class HealthChecks {
  readonly all: readonly HealthCheck[];

  constructor({ healthChecks }: Storage, inFlight: RequestsInFlight) {
    this.all = [...healthChecks.map((check) => new RecentCheck(check)), shutdownCheck(inFlight)];
  }
}

/** Fails as soon as shutdown starts, so that no new clients are sent here. Its result is not cached. */
function shutdownCheck(inFlight: RequestsInFlight): HealthCheck {
  return {
    name: 'shutdown',
    on: ['readyz'],
    check: () => (inFlight.draining ? Promise.reject(new Error('the server is shutting down')) : Promise.resolve()),
  };
}
