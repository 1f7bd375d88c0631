import type { ServerUsage } from './server-usage.js';

/** The server under attack. */
export interface AttackTarget {
  readonly url: string;
  /** Absent for an external server whose process is unknown. */
  readonly usage: ServerUsage | undefined;
  /** Whether it is another server than this project's. */
  readonly isForeign: boolean;
  /** Why it has ended; undefined while it runs. */
  death(): string | undefined;
  /** Bytes that it has logged; undefined where that is unknown. */
  logBytes(): number | undefined;
  stop(): Promise<void>;
}

/** Starts a server with further flags; an external one only by its defaults. */
export type StartTarget = (flags: readonly string[]) => Promise<AttackTarget>;
