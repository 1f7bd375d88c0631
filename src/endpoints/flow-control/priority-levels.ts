/** A priority level as it is configured (upstream: PriorityLevelConfiguration). */
export interface PriorityLevelSpec {
  readonly name: string;
  /** Of the server's seats, in relation to the other levels' shares. */
  readonly shares: number;
  /** How much of its seats other levels may use while it does not, in percent. */
  readonly lendable: number;
  /** Absent: a request that finds no seat is rejected. */
  readonly queuing?: Queuing;
}

export interface Queuing {
  /** The most requests that wait for seats of the level. */
  readonly limit: number;
  /** The most of them that belong to one flow. */
  readonly flowLimit: number;
  /** Bounds the seats of one request; as many queues a flow is dealt upstream. */
  readonly handSize: number;
}

const LEVEL_LIMIT = 6400;
const FLOW_LIMIT = 1600;

/** The level whose requests are never limited. */
export const EXEMPT = 'exempt';

/**
 * The levels of upstream's bootstrap configuration (apiserver apis/flowcontrol/bootstrap/default.go), in the order in which seats that
 * become free are offered. leader-election has more shares than upstream's 10: leases are what this server is for. Queues are
 * longer than upstream's: those of different flows are never shared, and a client that waits sends nothing.
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
