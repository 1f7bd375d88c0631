import type { Counter, CounterFamily } from '../../telemetry/metrics/metric-family.js';
import type { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import { type LeaseCounts, isHeartbeat } from './lapse-timers.js';

/** Metrics of leases that expire, and of what is told about them. */
export class LeaseExpiryMetrics {
  readonly #registry: MetricRegistry;
  readonly #expired: Counter;
  readonly #announcements: CounterFamily;
  readonly #flapping = new Flapping();

  constructor(registry: MetricRegistry) {
    this.#registry = registry;
    const expired = {
      name: 'coordination_leases_expired_total',
      help: 'Leases whose holders did not renew in time, as this replica marked them.',
    };
    this.#expired = registry.counter(expired).with();
    this.#announcements = registry.counter({
      name: 'coordination_lease_announcements_total',
      help: 'Announcements of expired leases by this replica; failed: to be tried again, dropped: given up after a day.',
      labels: ['outcome'],
    });
    for (const outcome of ['done', 'failed', 'dropped']) this.#announcements.with(outcome);
  }

  expired(): void {
    this.#expired.inc();
  }

  announced(outcome: 'done' | 'failed' | 'dropped', count = 1): void {
    this.#announcements.with(outcome).inc(count);
  }

  termChanged(path: string, { begunBy, taken }: { readonly begunBy?: string; readonly taken: boolean }, now: number): void {
    if (taken) this.#flapping.taken(path, now);
    if (begunBy === undefined) return;
    const [namespace = '', name = ''] = path.split('/');
    this.#flapping.began(path, isHeartbeat(namespace, name, begunBy), now);
  }

  /** Adds gauges that are sampled whenever metrics are read. */
  sample(counts: () => LeaseCounts, now: () => number): void {
    const leases = {
      name: 'coordination_leases',
      help: 'Leases by state; lapsed: the holder is late, vacant: nobody holds it.',
      labels: ['state'],
    };
    this.#registry.gauge(leases, (gauge) => {
      const { held, lapsed, vacant } = counts();
      gauge.with('held').set(held);
      gauge.with('lapsed').set(lapsed);
      gauge.with('vacant').set(vacant);
    });
    const overdue = {
      name: 'coordination_leases_overdue',
      help: 'Leases whose holder is late by more than a minute and that nobody has taken; heartbeat: the lease has the name of its holder.',
      labels: ['kind'],
    };
    this.#registry.gauge(overdue, (gauge) => {
      for (const [kind, count] of Object.entries(counts().overdue)) gauge.with(kind).set(count);
    });
    const flapping = {
      name: 'coordination_leases_flapping',
      help: 'Leases of which four terms or more began within ten minutes; election: each taken from the holder before, released: given back in between.',
      labels: ['kind'],
    };
    this.#registry.gauge(flapping, (gauge) => {
      const flaps = this.#flapping.counts(now());
      for (const kind of ['election', 'released', 'heartbeat'] as const) gauge.with(kind).set(flaps[kind]);
    });
  }
}

/** A lease flaps if so many terms of it began within this time. */
const TERMS = 4;
const WITHIN_MS = 600_000;
/** The most leases that are observed. */
const MAX_LEASES = 10_000;

/**
 * `election`: taken from one holder by the next each time. `released`: given back in between, as users of a lock do. `heartbeat`: by the one
 * holder whose name it has.
 */
export interface FlappingCounts {
  readonly election: number;
  readonly released: number;
  readonly heartbeat: number;
}

interface Observed {
  began: number[];
  taken: number[];
  isHeartbeat: boolean;
}

/** Which leases change hands again and again. Those whose last change is the longest ago are forgotten first. */
export class Flapping {
  readonly #observed = new Map<string, Observed>();

  began(path: string, isHeartbeat: boolean, now: number): void {
    const { began, taken } = this.#observed.get(path) ?? { began: [], taken: [] };
    this.#observed.delete(path);
    this.#observed.set(path, { began: [...began, now].slice(-TERMS), taken, isHeartbeat });
    this.#forget(now);
  }

  /** A term ended because somebody else took the lease. */
  taken(path: string, now: number): void {
    const observed = this.#observed.get(path);
    if (observed) observed.taken = [...observed.taken, now].slice(1 - TERMS);
  }

  counts(now: number): FlappingCounts {
    this.#forget(now);
    const counts = { election: 0, released: 0, heartbeat: 0 };
    for (const { began, taken, isHeartbeat } of this.#observed.values()) {
      if (!isRecent(began, TERMS, now)) continue;
      counts[isHeartbeat ? 'heartbeat' : isRecent(taken, TERMS - 1, now) ? 'election' : 'released'] += 1;
    }
    return counts;
  }

  #forget(now: number): void {
    for (const [path, { began }] of this.#observed) {
      if (this.#observed.size <= MAX_LEASES && now - (began.at(-1) ?? 0) <= WITHIN_MS) return;
      this.#observed.delete(path);
    }
  }
}

function isRecent(times: readonly number[], count: number, now: number): boolean {
  return times.length === count && now - (times[0] ?? 0) <= WITHIN_MS;
}
