import type { Patience } from './patience.js';

/** How much one client, or all of them, may have open, and for how long they may keep the server waiting. */
export interface ConnectionLimits {
  /** Connections at a time; 0 is no limit (`--max-connections`). */
  readonly maxConnections: number;
  /** From one remote address; 0 is no limit, absent: half of all (`--max-connections-per-address`). */
  readonly maxPerAddress?: number;
  /** Streams at a time on one HTTP/2 connection (`--http2-max-streams-per-connection`), and requests at a time on one of HTTP/1.1. */
  readonly maxStreams: number;
  /** Of how many HTTP/2 requests, 0 to 1, the client is asked to come back on a new connection (`--goaway-chance`). */
  readonly goawayChance: number;
  /** Absent: the defaults. */
  readonly patience?: Patience;
  /** How long a connection of HTTP/2 may be without a request, in milliseconds; absent: 90 s. */
  readonly idleMs?: number;
}

/** Streams without a wish of the administrator: upstream's, from which a client that opens many without waiting gains little. */
export const DEFAULT_MAX_STREAMS = 100;
