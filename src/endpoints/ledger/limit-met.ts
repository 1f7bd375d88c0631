/**
 * Limits that end requests or connections, by their labels in `/metrics`.
 *
 * - connection_bytes, user_bytes, process_bytes: see MemoryLimits.
 * - frames: frames that cost more than the progress they make; resets: streams reset by the client or because of its faults.
 * - headers: a header block, or the headers decoded from it.
 * - replies: replies to frames of a client that does not read them.
 * - connections, address_connections: concurrent connections, in total and from one remote address.
 * - stalled: responses or connections whose data the client does not take; silent: connections whose client does not answer pings.
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
