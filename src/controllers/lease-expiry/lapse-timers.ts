import { type Lease, leaseExpiry } from '../../apis/coordination/lease/lease.schema.js';
import type { StoredObject } from '../../storage/object-store.js';
import type { LapseChange } from '../../storage/term-change.js';

interface Timer {
  readonly path: string;
  /** By the database's clock; Infinity: not until the lease changes. */
  due: number;
  held: boolean;
  seconds: number;
  /** Whether the open term is known to have lapsed. */
  lapsed: boolean;
  /** Of a lapsed term. */
  isHeartbeat: boolean;
  /** When the lapsed term's time was over, by the database's clock. */
  over: number;
  /** Judgements without effect, one after the other. */
  failures: number;
}

/** How many leases are held, held by somebody who is late, and held by nobody. */
export interface LeaseCounts {
  readonly held: number;
  readonly lapsed: number;
  readonly vacant: number;
  /** Lapsed for more than a minute: an elector that lives would have taken them. */
  readonly overdue: { readonly election: number; readonly heartbeat: number };
}

/** Electors try every few seconds. */
const OVERDUE_AFTER_MS = 60_000;
/** What is overdue by more than this when it is seen first is judged bit by bit. */
const OVERDUE_MS = 10_000;
const OVERDUE_SPACING_MS = 0.25;
/** A server knows a write a little later than it was made, and its age to a tenth of a second. */
const KNOWN_LATER_MS = 150;
/** A term that has lapsed and whose lease was written: the end of the term is likely to be on its way. */
const AFTER_WRITE_MS = 20;
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 300_000;
const SPARE = 1_024;

/**
 * When each lease has to be judged. A renewal costs two looks at its text: the timer stays, and what it finds when it is due is a lease that
 * expires later. Times are by the database's clock. That alone makes no holder late: the server has also seen the lease unchanged for its
 * duration by its own steady clock, so that a step of another clock announces nobody who renews.
 */
export class LapseTimers {
  readonly #timers = new Map<string, Timer>();
  readonly #due = new DueTimes<Timer>();
  readonly #ageOf: (revision: number) => number;
  #overdueSlot = 0;

  /** `ageOf`: as an ObjectStore's. */
  constructor(ageOf: (revision: number) => number) {
    this.#ageOf = ageOf;
  }

  /** When the next judgement is due. */
  get next(): number {
    return this.#due.first;
  }

  counts(now: number): LeaseCounts {
    const counts = { held: 0, lapsed: 0, vacant: 0, overdue: { election: 0, heartbeat: 0 } };
    for (const { held, lapsed, over, isHeartbeat } of this.#timers.values()) {
      counts[held ? (lapsed ? 'lapsed' : 'held') : 'vacant'] += 1;
      if (held && lapsed && now - over > OVERDUE_AFTER_MS) counts.overdue[isHeartbeat ? 'heartbeat' : 'election'] += 1;
    }
    return counts;
  }

  /** A lease was written, or seen for the first time. `lapsed`: what is known of its term then. */
  written(path: string, lease: StoredObject, now: number, lapsed: boolean): void {
    const timer = this.#timers.get(path);
    const glance = leaseGlance(lease.data);
    if (!timer) {
      // no spread: it would put the fields into an array beside the object
      const added: Timer = {
        path,
        due: Infinity,
        held: glance.held,
        seconds: glance.seconds,
        lapsed,
        isHeartbeat: false,
        over: 0,
        failures: 0,
      };
      if (lapsed) note(added, lease, now);
      this.#timers.set(path, added);
      this.#plan(added, expiryOf(lease), now, this.#unseenMs(added, lease));
    } else if (timer.lapsed || glance.held !== timer.held || glance.seconds < timer.seconds || isLost(timer, glance)) {
      Object.assign(timer, glance, { failures: 0 });
      this.#plan(timer, expiryOf(lease), now);
    } else {
      timer.seconds = glance.seconds;
    }
  }

  deleted(path: string): void {
    this.#timers.delete(path);
  }

  /** What became of a lease's open term. Answers whether that is new. */
  termIs(path: string, lapsed: boolean, lease: StoredObject | undefined, now: number): boolean {
    const timer = this.#timers.get(path);
    if (!timer || timer.lapsed === lapsed) return false;
    timer.lapsed = lapsed;
    timer.failures = 0;
    if (lapsed && lease) note(timer, lease, now);
    if (lease) this.#plan(timer, expiryOf(lease), now);
    return true;
  }

  /** A judgement had no effect: the lease has changed, its term is not known, or the database's clock does not agree. */
  inVain(path: string, now: number): void {
    const timer = this.#timers.get(path);
    if (!timer) return;
    const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** timer.failures);
    timer.failures += 1;
    this.#set(timer, now + delay);
  }

  /** A judgement could not be made. */
  again(path: string, now: number): void {
    const timer = this.#timers.get(path);
    if (timer) this.#set(timer, now);
  }

  /** Takes the leases that are due, and answers the changes that follow; `limit`: the most. */
  take(now: number, limit: number, leaseAt: (path: string) => StoredObject | undefined): LapseChange[] {
    const changes: LapseChange[] = [];
    while (changes.length < limit && this.#due.first <= now) {
      const { value: timer, at } = this.#due.pop()!;
      const lease = leaseAt(timer.path);
      if (!lease || timer.due !== at || this.#timers.get(timer.path) !== timer) continue;
      const change = this.#judge(timer, lease, now);
      if (change) changes.push(change);
    }
    return changes;
  }

  #judge(timer: Timer, lease: StoredObject, now: number): LapseChange | undefined {
    Object.assign(timer, leaseGlance(lease.data));
    const expires = expiryOf(lease);
    const isOver = timer.held && expires !== undefined && expires <= now;
    timer.due = Infinity;
    const unseenMs = this.#unseenMs(timer, lease);
    if (isOver && !timer.lapsed && unseenMs > 0) {
      this.#set(timer, now + unseenMs);
      return undefined;
    }
    if (isOver === timer.lapsed || !timer.held) {
      this.#plan(timer, expires, now);
      return undefined;
    }
    const { namespace, name } = lease.key;
    return {
      namespace,
      lease: name,
      lease_revision: lease.revision,
      ...(expires !== undefined && { expires: new Date(expires).toISOString() }),
      lapsed: isOver,
    };
  }

  /** How much longer the lease has to be seen unchanged before it may be marked. */
  #unseenMs({ seconds }: Timer, { revision }: StoredObject): number {
    return Math.max(0, seconds * 1_000 - KNOWN_LATER_MS - this.#ageOf(revision));
  }

  /**
   * A timer is due no later than in the lease's duration, since a lease whose holder's clock was ahead may expire earlier once it is renewed. `unseenMs`: it is seen for the first time.
   */
  #plan(timer: Timer, expires: number | undefined, now: number, unseenMs?: number): void {
    if (!timer.held) return this.#set(timer, Infinity);
    if (timer.lapsed) return this.#set(timer, expires !== undefined && expires <= now ? Infinity : now + AFTER_WRITE_MS);
    if (expires === undefined) return this.#set(timer, Infinity);
    if (unseenMs !== undefined && expires < now - OVERDUE_MS) {
      this.#overdueSlot = Math.max(now, this.#overdueSlot) + OVERDUE_SPACING_MS;
      return this.#set(timer, this.#overdueSlot + unseenMs);
    }
    this.#set(timer, Math.min(expires, now + timer.seconds * 1_000));
  }

  #set(timer: Timer, due: number): void {
    timer.due = due;
    if (due === Infinity) return;
    this.#due.add(due, timer);
    if (this.#due.size > 2 * this.#timers.size + SPARE) this.#due.reset(this.#pending());
  }

  *#pending(): Generator<readonly [number, Timer]> {
    for (const timer of this.#timers.values()) if (timer.due < Infinity) yield [timer.due, timer];
  }
}

/** Whether a lease that had neither renewTime nor managedFields, and so no timer, can expire now. */
function isLost({ due }: Timer, { held, seconds }: LeaseGlance): boolean {
  return due === Infinity && held && seconds < Infinity;
}

/** Keeps what the counts tell of a lapsed lease. */
function note(timer: Timer, { key: { namespace, name }, data }: StoredObject, now: number): void {
  const lease = JSON.parse(data) as Lease;
  timer.isHeartbeat = isHeartbeat(namespace, name, lease.spec?.holderIdentity ?? '');
  timer.over = leaseExpiry(lease, 'beginning') ?? now;
}

function expiryOf({ data }: StoredObject): number | undefined {
  return leaseExpiry(JSON.parse(data) as Lease, 'beginning');
}

/**
 * Values by the time at which each is due: a binary heap, whose times and values are in arrays of their own, which take less memory than a
 * pair for each. A value may be in it several times; it is up to the caller which counts.
 */
export class DueTimes<V> {
  #times: number[] = [];
  #values: V[] = [];

  get size(): number {
    return this.#times.length;
  }

  /** When the first one is due; Infinity: there is none. */
  get first(): number {
    return this.#times[0] ?? Infinity;
  }

  add(at: number, value: V): void {
    let place = this.#times.length;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if ((this.#times[parent] as number) <= at) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, at, value);
  }

  /** Removes and answers the first one. */
  pop(): { readonly at: number; readonly value: V } | undefined {
    const [at] = this.#times;
    const [value] = this.#values as [V];
    if (at === undefined) return undefined;
    const last = { at: this.#times.pop() as number, value: this.#values.pop() as V };
    if (this.#times.length > 0) this.#sink(last.at, last.value);
    return { at, value };
  }

  /** Replaces everything. */
  reset(all: Iterable<readonly [at: number, value: V]>): void {
    const sorted = Array.from(all).sort(([a], [b]) => a - b);
    this.#times = sorted.map(([at]) => at);
    this.#values = sorted.map(([, value]) => value);
  }

  #sink(at: number, value: V): void {
    const times = this.#times;
    let place = 0;
    for (let child = 1; child < times.length; child = 2 * place + 1) {
      if ((times[child + 1] ?? Infinity) < (times[child] as number)) child += 1;
      if ((times[child] as number) >= at) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, at, value);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from] as number, this.#values[from] as V);
  }

  #put(place: number, at: number, value: V): void {
    this.#times[place] = at;
    this.#values[place] = value;
  }
}

const HOLDER = '"holderIdentity":"';
const DURATION = '"leaseDurationSeconds":';
const QUOTE = 34;

/** What decides whether a lease may expire earlier than it was going to. */
interface LeaseGlance {
  readonly held: boolean;
  /** Infinity: it never expires. */
  readonly seconds: number;
}

/**
 * Reads a stored lease without parsing it, since every renewal passes here. The spec follows the metadata, and a quote within a string is
 * escaped, so the last occurrence of each key is the spec's.
 */
export function leaseGlance(data: string): LeaseGlance {
  const spec = data.lastIndexOf('"spec":');
  const holder = data.lastIndexOf(HOLDER);
  const duration = data.lastIndexOf(DURATION);
  return {
    held: holder > spec && data.charCodeAt(holder + HOLDER.length) !== QUOTE,
    seconds: duration > spec ? parseInt(data.slice(duration + DURATION.length, duration + DURATION.length + 11), 10) : Infinity,
  };
}

/**
 * Whether a lease tells that its one holder lives, and not which of several leads: its name is its holder's, or ends with it, as those of nodes
 * (`node-7`), of members (`workers-a`, held by `a`) and of API servers do.
 */
export function isHeartbeat(namespace: string, name: string, holder: string): boolean {
  if (holder === '') return false;
  if (namespace === 'kube-system' && holder.startsWith(`${name}_`)) return true;
  return name === holder || (name.endsWith(holder) && /[-.:_]/.test(name.at(-holder.length - 1) ?? ''));
}
