/**
 * Limits for which requests or connections of clients are ended, by their labels in `/metrics`.
 *
 * - connection_bytes, user_bytes, process_bytes: see MemoryLimits.
 * - frames: frames that cost more than they bring forward; resets: streams reset by the client, or for its faults.
 * - headers: a header block, or the headers decoded from it.
 * - replies: replies to frames of a client that does not read them.
 * - connections, address_connections: connections at a time, and those from one remote address.
 * - stalled: answers, or connections, of which the client takes nothing; silent: connections whose client answers no ping.
 */
export const LIMITS_MET = [
  'connection_bytes',
  'user_bytes',
  'process_bytes',
  'frames',
  'resets',
  'headers',
  'replies',
  'connections',
  'address_connections',
  'stalled',
  'silent',
] as const;
export type LimitMet = (typeof LIMITS_MET)[number];
