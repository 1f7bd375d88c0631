import type { HealthCheck, HealthEndpoint } from './health-check.js';

/** How long an outcome counts: probes come every few seconds, and a load balancer learns of a failure no later than by its next one. */
const RECENT_MS = 250;

/**
 * A check that runs at most four times a second, however often it is asked for, and once at a time: whoever asks while it runs gets the
 * outcome of that run. Probes need no credentials, and a check may ask the database.
 */
export class RecentCheck implements HealthCheck {
  readonly name: string;
  readonly on: readonly HealthEndpoint[];
  readonly #check: HealthCheck;
  readonly #now: () => number;
  #outcome: Promise<void> | undefined;
  /** When the outcome stops counting; that of a run under way counts until it is over. */
  #until = 0;

  /** `now` in milliseconds; it never goes back. */
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
