import { Injectable } from '@nestjs/common';
import { Storage } from '../../storage/storage.js';
import { RequestsInFlight } from '../request/requests-in-flight.js';

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

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** One named check behind /healthz, /livez or /readyz. */
export interface HealthCheck {
  /** As shown in `?verbose` output and in the path `/readyz/<name>`. */
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  /** Rejects if unhealthy. The reason goes to the log, and only to clients of the check's own path. */
  check(): Promise<void>;
}

/** How long a result is cached: probes come every few seconds, so a load balancer learns of a failure by its next probe at the latest. */
const RECENT_MS = 250;

/**
 * Limits a check to four runs a second and one at a time; callers during a run share its result. Probes need no credentials, and a check
 * may query the database.
 */
export class RecentCheck implements HealthCheck {
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  readonly #check: HealthCheck;
  readonly #now: () => number;
  #outcome: Promise<void> | undefined;
  /** When the cached result expires; that of a running check is shared until it ends. */
  #until = 0;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(check: HealthCheck, now: () => number = () => performance.now()) {
    this.name = check.name;
    this.on = check.on;
    this.#check = check;
    this.#now = now;
  }

  check(): Promise<void> {
    if (this.#outcome && this.#now() < this.#until) return this.#outcome;
    const over = (): void => void (this.#until = this.#now() + RECENT_MS);
    const outcome = this.#check.check();
    this.#until = Infinity;
    this.#outcome = outcome;
    outcome.then(over, over);
    return outcome;
  }
}
