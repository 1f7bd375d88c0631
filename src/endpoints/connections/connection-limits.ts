import type { ClientTimeouts } from './client-timeouts.js';

/** Limits on connections and their requests, and timeouts of clients. */
export interface ConnectionLimits {
  /** Maximum number of concurrent connections; 0 means no limit (`--max-connections`). */
  readonly maxConnections: number;
  /** The same from one remote address or IPv6 /64 network; 0 means no limit, absent means half of all (`--max-connections-per-address`). */
  readonly maxPerAddress?: number;
  /**
   * Concurrent streams on one HTTP/2 connection (`--http2-max-streams-per-connection`), and pipelined requests on one HTTP/1.1 connection.
   */
  readonly maxStreams: number;
  /** Fraction of HTTP/2 requests, 0 to 1, after which the client is asked to use a new connection (`--goaway-chance`). */
  readonly goawayChance: number;
  readonly clientTimeouts: ClientTimeouts;
  /** How long an HTTP/2 connection may stay without requests, in milliseconds; 90 s if absent. */
  readonly idleMs?: number;
}

/** Upstream's default. A client that opens many streams without waiting for responses gains little from more. */
export const DEFAULT_MAX_STREAMS = 100;
