import type { Clock } from '../../../../kube-client/src/clock.js';
import type { Lease } from '../../../../kube-client/src/kubernetes-objects.js';
import { versionOf } from '../lease-requests.js';

/** A ticket that is older by its own times is dead anyway (`isLongDead`); a longer memory would be of no use. */
const REMEMBERED = 90_000;

/**
 * When the versions of the server were first known here. They grow with every write, whatever is written: a lease that now has a version which is
 * not above one that was known at some moment has not changed since. So a contender observes every ticket ahead for as long as it waits, by the
 * versions that it learns from its own renewals, without a request for any of them; and no clock but its own counts.
 */
export class KnownVersions {
  readonly #clock: Clock;
  /** Versions and the times at which they were known; both rise. */
  #known: { readonly version: bigint; readonly at: number }[] = [];
  #reliableFrom = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes a lease that the server has sent. Returns the moment since which it has not changed, unless it has another version by now. */
  saw(lease: Lease): number {
    const version = versionOf(lease);
    const known = this.#known.find((one) => one.version >= version);
    if (known) return known.at;
    const at = this.#clock.monotonic();
    this.#known.push({ version, at });
    while (this.#known[1] && this.#known[1].at <= at - REMEMBERED) this.#known.shift();
    return at;
  }

  /** Notes a later state of a lease. One with a smaller version is from a database that was set back: changes are undone, versions come again. */
  sawAgain(before: Lease, lease: Lease): number {
    if (versionOf(lease) < versionOf(before)) this.distrust();
    return this.saw(lease);
  }

  /** While the server did not answer, nobody could renew: what was known before tells nothing about the time since. */
  distrust(): void {
    this.#known = [];
    this.#reliableFrom = this.#clock.monotonic();
  }

  /** What happened before this moment does not count. */
  get reliableFrom(): number {
    return this.#reliableFrom;
  }
}
