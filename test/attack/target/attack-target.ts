import type { ServerUsage } from '../../support/server-usage.js';

/** The server under attack. */
export interface AttackTarget {
  readonly url: string;
  /** Absent for an external server whose process is unknown. */
  readonly usage: ServerUsage | undefined;
  /** Whether it is a server other than this project's. */
  readonly isForeign: boolean;
  /** Why it ended; undefined while it runs. */
  death(): string | undefined;
  /** Number of bytes logged; undefined if unknown. */
  logBytes(): number | undefined;
  stop(): Promise<void>;
}

/** Starts a server with additional flags; an external server only supports its defaults. */
export type StartTarget = (flags: readonly string[]) => Promise<AttackTarget>;
