import { creatorOf } from '../../requester.js';
import type { StoredObject } from '../../object-store.js';

/** Number of objects, and total size of their encodings in UTF-16 code units, which are bytes for ASCII. */
export interface Usage {
  objects: number;
  bytes: number;
}

/** Events have room of their own. */
export const EVENT_RESOURCE = 'events';

/** What an object counts as at least, so that a lease that is taken over under a longer name needs no more room. */
const LEAST_CHARGE = 1024;

/** What an object of this size counts as. */
export function chargeOf(bytes: number): number {
  return Math.max(LEAST_CHARGE, bytes);
}

/** Whose an object is: its namespace ('' for cluster-scoped objects), and who created it ('' if nobody is charged for it). */
export interface Owners {
  readonly namespace: string;
  readonly creator: string;
}

/** What objects are charged: in total, by namespace and by creator. */
export class Ledger {
  readonly total: Usage = { objects: 0, bytes: 0 };
  readonly namespaces = new Map<string, Usage>();
  readonly creators = new Map<string, Usage>();

  /** Adds these numbers, which may be negative. */
  add({ namespace, creator }: Owners, objects: number, bytes: number): void {
    this.total.objects += objects;
    this.total.bytes += bytes;
    addTo(this.namespaces, namespace, objects, bytes);
    addTo(this.creators, creator, objects, bytes);
  }
}

/** Entries that drop to zero are removed. */
function addTo(shares: Map<string, Usage>, name: string, objects: number, bytes: number): void {
  if (name === '') return;
  const usage = shares.get(name) ?? { objects: 0, bytes: 0 };
  usage.objects += objects;
  usage.bytes += bytes;
  if (usage.objects === 0 && usage.bytes === 0) shares.delete(name);
  else shares.set(name, usage);
}

/** A ledger of Events and one of everything else. */
export class Ledgers {
  readonly events = new Ledger();
  readonly objects = new Ledger();

  of(resource: string): Ledger {
    return this[resource === EVENT_RESOURCE ? 'events' : 'objects'];
  }
}

/** Number and size of the current objects by resource, and what they are charged. */
export class UsageStatistics {
  readonly ledgers = new Ledgers();
  readonly total: Usage = { objects: 0, bytes: 0 };
  readonly #resources = new Map<string, Usage>();

  /** The usage of a resource; undefined if it never had an object. */
  ofResource(resource: string): Readonly<Usage> | undefined {
    return this.#resources.get(resource);
  }

  /** Accounts for the change of an object from one state to another; undefined means absent. A renewal changes nothing. */
  replace(before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (before && after && before.data.length === after.data.length && before.uid === after.uid) return;
    if (before) this.#add(before, -1);
    if (after) this.#add(after, 1);
  }

  #add({ key, uid, data }: StoredObject, sign: 1 | -1): void {
    const { namespace, resource } = key;
    const usage = this.#resources.get(resource) ?? { objects: 0, bytes: 0 };
    for (const sum of [usage, this.total]) {
      sum.objects += sign;
      sum.bytes += sign * data.length;
    }
    // There are few resources, so entries that drop to zero are kept.
    this.#resources.set(resource, usage);
    this.ledgers.of(resource).add({ namespace, creator: creatorOf(uid) }, sign, sign * chargeOf(data.length));
  }
}
