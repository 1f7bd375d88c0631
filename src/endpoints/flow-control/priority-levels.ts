/** Configuration of a priority level (upstream: PriorityLevelConfiguration). */
export interface PriorityLevelSpec {
  readonly name: string;
  /** The level's share of the server's seats, relative to those of the other levels. */
  readonly shares: number;
  /** Percentage of its seats that other levels may use while they are free. */
  readonly lendable: number;
  /** If absent, a request that finds no free seat is rejected. */
  readonly queuing?: Queuing;
}

interface Queuing {
  /** Maximum number of requests waiting for seats of the level. */
  readonly limit: number;
  /** Maximum number of them that belong to one flow. */
  readonly flowLimit: number;
  /** Bounds the seats of one request; upstream, the number of queues dealt to a flow. */
  readonly handSize: number;
}

const LEVEL_LIMIT = 6400;
const FLOW_LIMIT = 1600;

/** The level whose requests are never limited. */
export const EXEMPT = 'exempt';

/**
 * The levels of upstream's bootstrap configuration (apiserver apis/flowcontrol/bootstrap/default.go), in the order in which free seats are
 * offered. leader-election has more shares than upstream's 10, because leases are the purpose of this server. Queues are longer than
 * upstream's: flows never share a queue, and a waiting client sends nothing.
 */
export const PRIORITY_LEVELS: readonly PriorityLevelSpec[] = [
  { name: EXEMPT, shares: 0, lendable: 0 },
  { name: 'leader-election', shares: 100, lendable: 0, queuing: queues(4) },
  { name: 'node-high', shares: 40, lendable: 25, queuing: queues(6) },
  { name: 'system', shares: 30, lendable: 33, queuing: queues(6) },
  { name: 'workload-high', shares: 40, lendable: 50, queuing: queues(6) },
  { name: 'workload-low', shares: 100, lendable: 90, queuing: queues(6) },
  { name: 'global-default', shares: 20, lendable: 50, queuing: queues(6) },
  { name: 'catch-all', shares: 5, lendable: 0 },
];

function queues(handSize: number): Queuing {
  return { limit: LEVEL_LIMIT, flowLimit: FLOW_LIMIT, handSize };
}
