import type { DatabaseNode } from './database-node.js';

/** PostgreSQL on several nodes under a manager that promotes one of them if the primary fails. */
export interface DatabaseCluster {
  readonly nodes: readonly DatabaseNode[];
  /** Programs and versions, for the report. */
  readonly description: string;
  /** Whether the death of the postmaster alone causes a failover; otherwise it is restarted in place. */
  readonly failsOverOnCrash: boolean;
  /** Whether pausing the manager while PostgreSQL keeps running causes a failover. */
  readonly failsOverOnSilentManager: boolean;
  /** Whether a manager without data copies the primary's by itself. */
  readonly rebuildsNodes: boolean;
  /** How long the next fault waits for the last standby: one that is still copying its data may miss that failover. */
  readonly patienceMs: number;
  /** Starts all nodes, creates the database, and resolves when every standby follows. */
  start(): Promise<void>;
  /** The health check that a load balancer would make of this node. */
  isPrimary(node: DatabaseNode): Promise<boolean>;
  /** Why there is no primary followed by `standbys` nodes (by default all); undefined if there is one. */
  trouble(standbys?: number): Promise<string | undefined>;
  /** Recreates every standby that does not follow, as an administrator would. */
  rebuild(): Promise<void>;
  switchover(from: DatabaseNode): Promise<void>;
  /** Copies the primary's data for `restore`; absent if the manager's own state would contradict an older database. */
  backup?(): Promise<string>;
  /** Makes the backup the only data; every node must be dead. */
  restore?(backup: string): Promise<void>;
  stop(): Promise<void>;
}

export const DATABASE = 'coordination';
export const DATABASE_USER = 'coordination';
export const DATABASE_PASSWORD = 'torture';
