import type { Lease, WatchEvent } from '../api/kubernetes-objects.js';
import { type Coming, type Sighting, keyOf, observeLease, sightingOf } from './observe-lease.js';
import type { ObservedLease } from './observed-lease.js';

const KEPT_SIGHTINGS = 1000;

/**
 * All leases that the page follows, and the observed changes. The store changes in place, up to thousands of times a second; components
 * check `generation` once a frame.
 */
export class LeaseStore {
  readonly leases = new Map<string, ObservedLease>();
  readonly meter = new RenewalMeter();
  readonly sightings: Sighting[] = [];
  /** Grows with every change. */
  generation = 0;
  /** Grows when a lease appears, disappears or changes holders: a list in a fixed order must then be rebuilt. */
  structure = 0;
  /** Whether a whole list has arrived. */
  loaded = false;
  /** How many whole lists have arrived. */
  lists = 0;

  /** Shows the first leases of a list before the rest has arrived, unless an earlier list is shown. */
  begin(items: readonly Lease[], now: number): void {
    if (this.loaded) return;
    for (const item of items) this.#put(item, { now, live: false }, false);
    this.structure++;
    this.generation++;
  }

  /** Replaces the content by a whole list; `now` is on the server's clock. Observations of leases that still exist are kept. */
  replace(items: readonly Lease[], now: number): void {
    if (!this.loaded) this.meter.begin(now);
    const listed = new Set(items.map(({ metadata }) => keyOf(metadata)));
    // Leases missing from a narrower list are not deleted: no deletion was observed.
    for (const key of this.leases.keys()) if (!listed.has(key)) this.leases.delete(key);
    for (const item of items) this.#put(item, { now, live: false }, this.loaded);
    this.loaded = true;
    this.lists++;
    this.structure++;
    this.generation++;
  }

  /** Empties the store before a list of other leases. Observations stay. */
  reset(): void {
    this.leases.clear();
    this.loaded = false;
    this.structure++;
    this.generation++;
  }

  apply(events: readonly WatchEvent<Lease>[], coming: Coming): void {
    for (const { type, object } of events) {
      if (type === 'DELETED') this.#delete(object, coming.now);
      else if (type === 'ADDED' || type === 'MODIFIED') this.#put(object, coming, true);
    }
    if (events.length > 0) this.generation++;
  }

  #put(lease: Lease, coming: Coming, isNews: boolean): void {
    const key = keyOf(lease.metadata);
    const before = this.leases.get(key);
    if (before?.lease.metadata.resourceVersion === lease.metadata.resourceVersion && before !== undefined) return;
    const after = observeLease(before, lease, coming);
    this.leases.set(key, after);
    if (before && after.renewals > before.renewals) this.meter.count(coming.now, 1);
    if (before === undefined || before.holder !== after.holder) this.structure++;
    // A lease that a list contains for the first time has not just changed.
    if (isNews && (before !== undefined || coming.live)) this.#see(sightingOf(before, after, coming.now));
  }

  #delete(lease: Lease, now: number): void {
    const key = keyOf(lease.metadata);
    const before = this.leases.get(key);
    if (!this.leases.delete(key)) return;
    this.structure++;
    this.#see(sightingOf(before, undefined, now));
  }

  #see(sighting: Sighting | undefined): void {
    if (!sighting) return;
    this.sightings.push(sighting);
    if (this.sightings.length > KEPT_SIGHTINGS) this.sightings.splice(0, this.sightings.length - KEPT_SIGHTINGS);
  }
}

/** The number of seconds that are kept. */
const SECONDS = 60;

/** Counts renewals per second over the last minute. Times in milliseconds. */
class RenewalMeter {
  readonly #counts = new Array<number>(SECONDS).fill(0);
  #second = 0;
  #began: number | undefined;

  /** From now on renewals are counted; earlier ones, of other leases, are not in the rate. */
  begin(now: number): void {
    this.#began = Math.floor(now / 1000);
  }

  count(now: number, renewals: number): void {
    this.#moveTo(now);
    this.#counts[this.#second % SECONDS]! += renewals;
  }

  /** Counts per second, the oldest first, without the current one. */
  perSecond(now: number): readonly number[] {
    this.#moveTo(now);
    return Array.from({ length: SECONDS - 1 }, (_, at) => this.#counts[(this.#second + 1 + at) % SECONDS] ?? 0);
  }

  /** The mean of the last ten seconds, or of those since counting began; undefined until the first of them is over. */
  rate(now: number): number | undefined {
    const since = this.#began === undefined ? 0 : Math.floor(now / 1000) - this.#began;
    if (since <= 0) return undefined;
    const seconds = Math.min(10, since);
    const last = this.perSecond(now).slice(-seconds);
    return last.reduce((sum, count) => sum + count, 0) / seconds;
  }

  #moveTo(now: number): void {
    const second = Math.floor(now / 1000);
    if (second <= this.#second) return;
    for (let at = Math.max(this.#second + 1, second - SECONDS + 1); at <= second; at++) this.#counts[at % SECONDS] = 0;
    this.#second = second;
  }
}
