/** Bytes that clients may make the server hold. 0 is no limit. */
export interface MemoryLimits {
  /** Of one connection (`--max-held-bytes-per-connection`). */
  readonly connection: number;
  /** Of all connections of one user or, before authentication, of one remote address (`--max-held-bytes-per-user`). */
  readonly owner: number;
  /** Of all clients of this process (`--max-held-bytes`). */
  readonly process: number;
}

const MIB = 1024 * 1024;

/**
 * For a container of 512 MiB, where objects, watch cache and code take about half. A connection may hold five of the largest bodies, or
 * 100 streams with their first 64 KiB; no user alone can bring the process to its limit.
 */
export const DEFAULT_MEMORY_LIMITS: MemoryLimits = { connection: 16 * MIB, owner: 48 * MIB, process: 96 * MIB };
