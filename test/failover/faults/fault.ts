import type { Random } from '../../fuzz/random.js';
import type { DatabaseCluster } from '../cluster/database-cluster.js';
import type { DatabaseNode } from '../cluster/database-node.js';
import type { FleetServer } from '../fleet.js';

export interface FaultContext {
  readonly cluster: DatabaseCluster;
  readonly servers: readonly FleetServer[];
  readonly random: Random;
  readonly synchronous: boolean;
  /** The primary at the beginning of the fault. */
  readonly primary: DatabaseNode;
  /** Resolves with true when a node other than `primary` is the primary; with false after the time limit. */
  readonly replaced: (withinMs?: number) => Promise<boolean>;
  /** Kills the holder of the election's lease; resolves when another candidate holds it, or after a while. */
  readonly handOver: () => Promise<void>;
  /** Reports that the database has been replaced, on whichever node. */
  readonly restored: () => void;
  /** Adds a text to the round's line. */
  readonly note: (text: string) => void;
}

/** A fault that can be injected. */
export interface Fault {
  readonly name: string;
  readonly weight: number;
  /** Whether it makes another node the primary. */
  readonly failsOver: (cluster: DatabaseCluster) => boolean;
  /** If absent, always. */
  readonly possible?: (context: { readonly cluster: DatabaseCluster; readonly synchronous: boolean }) => boolean;
  /** Injects the fault, waits for its effect, and repairs everything. */
  readonly run: (context: FaultContext) => Promise<void>;
}
