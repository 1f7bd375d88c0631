/** Limits on the bytes that clients may make the server hold. 0 means no limit. */
export interface MemoryLimits {
  /** Per connection (`--max-held-bytes-per-connection`). */
  readonly connection: number;
  /** Per user or, before authentication, per remote address, over all its connections (`--max-held-bytes-per-user`). */
  readonly owner: number;
  /** For all clients of this process (`--max-held-bytes`). */
  readonly process: number;
}

const MIB = 1024 * 1024;

/**
 * Sized for a container of 512 MiB, of which objects, watch cache and code take about half. A connection may hold five of the largest
 * bodies, or 100 streams with their first 64 KiB; no single user can bring the process to its limit.
 */
export const DEFAULT_MEMORY_LIMITS: MemoryLimits = { connection: 16 * MIB, owner: 48 * MIB, process: 96 * MIB };
