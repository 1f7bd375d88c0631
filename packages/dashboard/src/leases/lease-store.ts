import type { Lease, WatchEvent } from '../api/kubernetes-objects.js';
import { keyOf, observeLease } from './observe-lease.js';
import type { Coming } from './observe-lease.js';
import type { ObservedLease } from './observed-lease.js';
import { RenewalMeter } from './renewal-meter.js';
import type { Sighting } from './sighting.js';
import { sightingOf } from './sighting.js';

const KEPT_SIGHTINGS = 1000;

/**
 * All leases that the page follows, and what it has seen happen. It changes in place, up to thousands of times a second; whoever shows
 * it asks for `generation` once a frame.
 */
export class LeaseStore {
  readonly leases = new Map<string, ObservedLease>();
  readonly meter = new RenewalMeter();
  readonly sightings: Sighting[] = [];
  /** Goes up with every change. */
  generation = 0;
  /** Goes up when a lease comes, goes or changes hands: what a list in a fixed order has to be made anew for. */
  structure = 0;
  /** Whether a list has come. */
  loaded = false;

  /** Takes a whole list; `now` on the server's clock. What was seen of leases that are still there is kept. */
  replace(items: readonly Lease[], now: number): void {
    const listed = new Set(items.map(({ metadata }) => keyOf(metadata)));
    // Those that a narrower list does not have are not deleted: nothing was seen.
    for (const key of this.leases.keys()) if (!listed.has(key)) this.leases.delete(key);
    for (const item of items) this.#put(item, { now, live: false }, this.loaded);
    this.loaded = true;
    this.structure++;
    this.generation++;
  }

  /** Another list is to come, of other leases: nothing is there until then. What was seen stays. */
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
    // What a list brings for the first time has not just happened.
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
