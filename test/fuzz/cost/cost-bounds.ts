/** The work of an attacker. */
export interface Work {
  readonly bytes: number;
  readonly connections: number;
  readonly requests: number;
  /** Number of writes: each is at least one read of the server. */
  readonly writes: number;
}

/** The cost of that work for the server and other clients. */
export interface Cost {
  readonly cpuMicros: number;
  /** Bytes of heap and buffers after a garbage collection, while the connections are open. */
  readonly retained: number;
  /** The same after they have ended. */
  readonly left: number;
  readonly victimP99Ms: number;
  readonly victimErrors: number;
  readonly baselineP99Ms: number;
  /** Why the server ended; absent while it runs. */
  readonly death?: string;
}

const MIB = 1024 * 1024;

/** Figures below these are indistinguishable from noise. */
const CPU_FLOOR_MICROS = 150_000;
const RETAINED_FLOOR = 6 * MIB;
const LEFT_FLOOR = 8 * MIB;

/** Costs of a TLS handshake, of a request answered from memory, of a read of the socket, and of each byte of anything else. */
const MICROS = { connection: 6000, request: 600, write: 60, byte: 0.5 } as const;
const RETAINED = { connection: 300_000, request: 10_000, byte: 3 } as const;
/** Limit of the memory allowed per byte: the windows of 100 bodies, doubled. */
const MAX_RETAINED_BY_BYTES = 13_000_000;

const MAX_P99_RATIO = 20;

export interface LatencyBound {
  /** p99 in milliseconds below which the ratio is ignored. */
  readonly floorMs: number;
}

/** CPU that the work may cost, in microseconds. */
export function cpuBudget({ bytes, connections, requests, writes }: Work): number {
  return CPU_FLOOR_MICROS + connections * MICROS.connection + requests * MICROS.request + writes * MICROS.write + bytes * MICROS.byte;
}

/** Bytes that the server may keep for the work. */
export function retainedBudget({ bytes, connections, requests }: Work): number {
  const byBytes = Math.min(bytes * RETAINED.byte, connections * MAX_RETAINED_BY_BYTES);
  return RETAINED_FLOOR + connections * RETAINED.connection + requests * RETAINED.request + byBytes;
}

/** Describes each cost beyond its bound; empty if there is none. */
export function beyondBounds(work: Work, cost: Cost, { floorMs }: LatencyBound): string[] {
  const found: string[] = [];
  const perByte = (value: number) => `${Number((value / Math.max(1, work.bytes)).toPrecision(2))} per byte`;
  const say = (name: string, value: number, bound: number, unit: string) => {
    if (value > bound) found.push(`${name} ${Math.round(value)} ${unit} (${perByte(value)}), more than ${Math.round(bound)}`);
  };
  if (cost.death !== undefined) found.push(`the server ended: ${cost.death}`);
  say('CPU', cost.cpuMicros, cpuBudget(work), 'us');
  say('retained', cost.retained, retainedBudget(work), 'bytes');
  say('left behind', cost.left, LEFT_FLOOR, 'bytes');
  const ratio = cost.victimP99Ms / Math.max(1, cost.baselineP99Ms);
  if (cost.victimP99Ms > floorMs && ratio > MAX_P99_RATIO) {
    found.push(`p99 of the innocent client ${cost.victimP99Ms} ms, ${Math.round(ratio)} times that of its baseline`);
  }
  if (cost.victimErrors > 0) found.push(`${cost.victimErrors} errors of the innocent client`);
  return found;
}
