import { type LeaseState, type ObservedLease, leaseState } from './observed-lease.js';

export type SortColumn = 'name' | 'state' | 'holder' | 'renewed' | 'rate' | 'transitions';
export type StateFilter = LeaseState | 'flapping';

/** Whether a lease changes hands again and again, by all that is known of its holders. */
export type Flaps = (lease: ObservedLease, now: number) => boolean;

export interface LeaseQuery {
  /** Words that must all occur in namespace, name or holder; `holder:` and `state:` before one name the place. */
  readonly search: string;
  readonly state: StateFilter | undefined;
  readonly sort: SortColumn;
  readonly descending: boolean;
}

/** Whether the order may change without a lease appearing, disappearing or changing holders. */
export function isVolatile({ sort, state, search }: LeaseQuery): boolean {
  return (
    state !== undefined || search.includes('state:') || sort === 'state' || sort === 'renewed' || sort === 'rate' || sort === 'transitions'
  );
}

/** The leases that match a query, in its order; equal ones by key. */
export function selectLeases(leases: Iterable<ObservedLease>, query: LeaseQuery, now: number, flaps: Flaps): ObservedLease[] {
  const matches = searchFor(query.search, flaps);
  const found = [...leases].filter((lease) => hasState(lease, query.state, now, flaps) && matches(lease, now));
  const sign = query.descending ? -1 : 1;
  const order = ORDERS[query.sort](now);
  return found.sort((a, b) => sign * order(a, b) || compare(a.key, b.key));
}

function hasState(lease: ObservedLease, state: string | undefined, now: number, flaps: Flaps): boolean {
  if (state === undefined) return true;
  return state === 'flapping' ? flaps(lease, now) : leaseState(lease, now) === state;
}

/** Whether all words occur in a lease's namespace, name or holder, those after `holder:` in the holder, and it has the state after `state:`. */
export function searchFor(search: string, flaps: Flaps): (lease: ObservedLease, now: number) => boolean {
  const all = search.toLowerCase().split(/\s+/).filter(Boolean);
  const states = all.flatMap((word) => /^state:(.+)$/.exec(word)?.[1] ?? []);
  const words = all.filter((word) => !/^state:/.test(word));
  return (lease, now) => states.every((state) => hasState(lease, state, now, flaps)) && hasWords(lease, words);
}

function hasWords({ key, holder }: ObservedLease, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${key} ${holder}`.toLowerCase();
  return words.every((word) => {
    const [, ofHolder] = /^holder:(.+)$/.exec(word) ?? [];
    return ofHolder === undefined ? text.includes(word) : holder.toLowerCase().includes(ofHolder);
  });
}

type Order = (a: ObservedLease, b: ObservedLease) => number;

const SEVERITY: Readonly<Record<LeaseState, number>> = { expired: 0, due: 1, held: 2, released: 3, 'never-held': 4 };

const ORDERS: Readonly<Record<SortColumn, (now: number) => Order>> = {
  name: () => (a, b) => compare(a.key, b.key),
  holder: () => (a, b) => compare(a.holder, b.holder),
  state: (now) => (a, b) => SEVERITY[leaseState(a, now)] - SEVERITY[leaseState(b, now)],
  renewed: () => (a, b) => (b.renewedAt ?? -Infinity) - (a.renewedAt ?? -Infinity) || 0,
  rate: (now) => (a, b) => (renewalsPerSecond(a, now) ?? -1) - (renewalsPerSecond(b, now) ?? -1),
  transitions: () => (a, b) => a.transitions - b.transitions,
};

const NATURAL = new Intl.Collator('en', { numeric: true });

/** Partition 9 comes before partition 10. */
function compare(a: string, b: string): number {
  return NATURAL.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** The renewal rate of a lease; it falls while no renewal arrives. Undefined until two were observed. */
export function renewalsPerSecond({ intervalMs, renewedAt }: ObservedLease, now: number): number | undefined {
  if (intervalMs === undefined || renewedAt === undefined) return undefined;
  return 1000 / Math.max(intervalMs, now - renewedAt, 1);
}

/** The number of leases in each state; flapping ones count a second time. */
export function countStates(leases: Iterable<ObservedLease>, now: number, flaps: Flaps): Record<StateFilter, number> {
  const counts = { held: 0, due: 0, expired: 0, released: 0, 'never-held': 0, flapping: 0 };
  for (const lease of leases) {
    counts[leaseState(lease, now)]++;
    if (flaps(lease, now)) counts.flapping++;
  }
  return counts;
}
