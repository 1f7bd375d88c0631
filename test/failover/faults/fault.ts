import type { Random } from '../../fuzz/random.js';
import type { DatabaseCluster } from '../cluster/database-cluster.js';
import type { DatabaseNode } from '../cluster/database-node.js';
import type { FleetServer } from '../fleet.js';

export interface FaultContext {
  readonly cluster: DatabaseCluster;
  readonly servers: readonly FleetServer[];
  readonly random: Random;
  readonly synchronous: boolean;
  /** Of the moment at which the fault begins. */
  readonly primary: DatabaseNode;
  /** Resolves when another node than `primary` is the primary; false when that does not happen within the time. */
  readonly replaced: (withinMs?: number) => Promise<boolean>;
  /** Kills who holds the election's lease; resolves when somebody else holds it, or after a while. */
  readonly handOver: () => Promise<void>;
  /** Says that the database is another one now, whichever node has it. */
  readonly restored: () => void;
  /** Says what happens, in the round's line. */
  readonly note: (text: string) => void;
}

/** What may go wrong once. */
export interface Fault {
  readonly name: string;
  readonly weight: number;
  /** Whether it makes another node the primary. */
  readonly failsOver: (cluster: DatabaseCluster) => boolean;
  /** Absent: always. */
  readonly possible?: (context: { readonly cluster: DatabaseCluster; readonly synchronous: boolean }) => boolean;
  /** Does it, waits for what it is to bring about, and repairs everything. */
  readonly run: (context: FaultContext) => Promise<void>;
}
