import type { Clock } from '../../../../leader-election/src/clock.js';
import { recordFromSpec } from '../../../../leader-election/src/election-record.js';
import type { Lease } from '../../../../leader-election/src/kubernetes-objects.js';
import { Observation } from '../../../../leader-election/src/observation.js';

/** A ticket that was last renewed so long ago, by its own times, is dead without further observation. */
const LONG_DEAD = 90_000;

/** The ticket ahead, as the next one in the queue sees it. */
export class ObservedTicket {
  readonly #clock: Clock;
  #observation = new Observation();
  #ticket: Lease;

  constructor(ticket: Lease, clock: Clock) {
    this.#clock = clock;
    this.#ticket = ticket;
    this.saw(ticket);
  }

  get ticket(): Lease {
    return this.#ticket;
  }

  saw(ticket: Lease): void {
    this.#ticket = ticket;
    this.#observation.saw(recordFromSpec(ticket.spec), this.#clock.monotonic());
  }

  /** While the server did not answer, nobody could renew: what was observed before does not count. */
  forgetAge(): void {
    this.#observation = new Observation();
    this.saw(this.#ticket);
  }

  /** Milliseconds until it has expired unless it changes. */
  get expiresIn(): number {
    const { leaseDurationSeconds = 0 } = this.#ticket.spec ?? {};
    return leaseDurationSeconds * 1000 - this.#observation.age(this.#clock.monotonic());
  }
}

export function isLongDead({ spec }: Lease, now: Date): boolean {
  const renewed = Date.parse(spec?.renewTime ?? '');
  return !(renewed + LONG_DEAD > now.getTime());
}
