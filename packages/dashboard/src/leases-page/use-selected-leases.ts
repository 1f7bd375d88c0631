import { useRef } from 'preact/hooks';
import { isVolatile, selectLeases } from '../leases/lease-query.js';
import { useServices } from '../shell/services.js';

/** How often an order that changes with every renewal is sorted again. */
const VOLATILE_MS = 500;

interface Selection {
  readonly keys: readonly string[];
  readonly query: unknown;
  readonly structure: number;
  readonly madeAt: number;
}

/** The leases of the route's query. Their order is kept between renewals, so that thousands of renewals a second need no sorting. */
export function useSelectedLeases(): readonly string[] {
  const { live, recent, clock, route } = useServices();
  const last = useRef<Selection>({ keys: [], query: undefined, structure: -1, madeAt: -Infinity });
  const { store } = live;
  const { query } = route;
  const age = performance.now() - last.current.madeAt;
  const isDue = isVolatile(query) ? age >= VOLATILE_MS : last.current.structure !== store.structure && age >= VOLATILE_MS / 5;
  if (last.current.query !== query || isDue) {
    const leases = selectLeases(store.leases.values(), query, clock.known(), (lease, now) => recent.flaps(lease, now));
    const keys = leases.map(({ key }) => key);
    last.current = { keys, query, structure: store.structure, madeAt: performance.now() };
  }
  return last.current.keys;
}
