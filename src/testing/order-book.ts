import { type ClockOrders, ClockMove } from './orders/clock-orders.js';
import { type FaultOrders, FaultValue, RequestMatchValue } from './orders/fault-orders.js';
import { type LeaseOrders, AwaitedHolderValue, LeaseNameValue, TakeOverValue } from './orders/lease-orders.js';
import { checked } from './orders/order-values.js';
import { type StateOrders, StoreLatency } from './orders/state-orders.js';
import type { WatchOrders } from './orders/watch-orders.js';
import type { SeenRequests } from './seen-requests.js';
import type { TestOrders } from './test-server.js';

/** What carries orders out. */
export interface OrderReceivers {
  readonly clock: ClockOrders;
  readonly leases: LeaseOrders;
  readonly faults: FaultOrders;
  readonly watches: WatchOrders;
  readonly state: StateOrders;
  readonly seen: SeenRequests;
}

/** One order, as a request below ORDERS_PATH. */
export interface Order {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly description: string;
  /** Checks what the client sent (in the body, or for GET in the query), and carries it out. Rejects with an ApiError. */
  give(receivers: OrderReceivers, value: unknown): Promise<unknown>;
}

class Nothing {}

function order<T extends object>(
  method: Order['method'],
  path: string,
  description: string,
  type: new () => T,
  run: (receivers: OrderReceivers, value: T) => unknown,
): Order {
  return {
    method,
    path,
    description,
    give: (receivers, value) => Promise.resolve().then(() => run(receivers, checked(type, value ?? {}))),
  };
}

const OF_LEASE = 'The body has the name of the lease, and its namespace unless that is default.';
const MATCHING = 'verb, resource, namespace, name, user and userAgent select requests.';

export const ORDERS: Readonly<Record<keyof TestOrders, Order>> = {
  moveClock: order('POST', 'clock', 'Move the clock forward by a time such as 20s.', ClockMove, ({ clock }, move) => clock.move(move)),
  takeOver: order('POST', 'leases/take-over', `Hold a lease as holder. ${OF_LEASE}`, TakeOverValue, ({ leases }, taken) =>
    leases.takeOver(taken),
  ),
  release: order('POST', 'leases/release', `Free a lease. ${OF_LEASE}`, LeaseNameValue, ({ leases }, lease) => leases.release(lease)),
  deleteLease: order('POST', 'leases/delete', `Delete a lease. ${OF_LEASE}`, LeaseNameValue, ({ leases }, lease) => leases.delete(lease)),
  expire: order('POST', 'leases/expire', `Move the clock until a lease has expired. ${OF_LEASE}`, LeaseNameValue, ({ leases }, lease) =>
    leases.expire(lease),
  ),
  waitForHolder: order('POST', 'leases/wait', `Wait until holder has a lease. ${OF_LEASE}`, AwaitedHolderValue, ({ leases }, awaited) =>
    leases.waitFor(awaited),
  ),
  addFault: order(
    'POST',
    'faults',
    `Refuse the next count requests with a status, cut their connections, let them hang, or delay them. ${MATCHING}`,
    FaultValue,
    ({ faults }, fault) => faults.add(fault),
  ),
  faults: order('GET', 'faults', 'List the faults that are still to happen.', Nothing, ({ faults }) => faults.list()),
  clearFaults: order('DELETE', 'faults', 'Drop all faults.', Nothing, ({ faults }) => faults.clear()),
  pause: order('POST', 'pause', 'Let all requests wait.', Nothing, ({ faults }) => faults.pause()),
  resume: order('POST', 'resume', 'Serve the requests that wait.', Nothing, ({ faults }) => faults.resume()),
  slowStore: order('POST', 'store', 'Let each write take latency longer, such as 50ms.', StoreLatency, ({ state }, latency) =>
    state.slow(latency),
  ),
  dropWatches: order('POST', 'watches/drop', 'End all watches.', Nothing, ({ watches }) => watches.drop()),
  expireHistory: order('POST', 'watches/expire', 'Answer watches and lists from earlier versions with 410.', Nothing, ({ watches }) =>
    watches.expireHistory(),
  ),
  goaway: order('POST', 'connections/goaway', 'Ask HTTP/2 clients to use new connections.', Nothing, ({ watches }) => watches.goaway()),
  snapshot: order('POST', 'snapshot', 'Remember the state for the next reset.', Nothing, ({ state }) => state.snapshot()),
  reset: order('POST', 'reset', 'Return to the last snapshot, and drop all faults.', Nothing, ({ faults, seen, state }) => {
    faults.clear();
    faults.resume();
    seen.clear();
    state.restore();
  }),
  requests: order('GET', 'requests', `List the requests that the server has seen. ${MATCHING}`, RequestMatchValue, ({ seen }, match) =>
    seen.list(match),
  ),
};

/** The orders as calls: with what they send, or with one value of it. */
export function testOrders(receivers: OrderReceivers): TestOrders {
  const calls = Object.entries(ORDERS).map(([name, order]) => [name, (value?: unknown) => order.give(receivers, value)]);
  const all = Object.fromEntries(calls) as Record<keyof TestOrders, (value?: unknown) => Promise<never>>;
  return { ...all, moveClock: (by) => all.moveClock({ by }), slowStore: (latency) => all.slowStore({ latency }) };
}
