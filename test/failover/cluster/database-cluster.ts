import type { DatabaseNode } from './database-node.js';

/** PostgreSQL on several nodes under a manager that promotes one of them when the primary fails. */
export interface DatabaseCluster {
  readonly nodes: readonly DatabaseNode[];
  /** For the report: programs with their versions. */
  readonly description: string;
  /** Whether the death of the postmaster alone makes another node the primary; else it is restarted in place. */
  readonly failsOverOnCrash: boolean;
  /** Whether a paused manager, with a PostgreSQL that runs on, makes another node the primary. */
  readonly failsOverOnSilentManager: boolean;
  /** Whether a manager that finds no data copies the primary's by itself. */
  readonly rebuildsNodes: boolean;
  /** How long the next fault waits for the last of the standbys: one that still copies its data may miss that failover. */
  readonly patienceMs: number;
  /** Starts all nodes, makes the database, and resolves when every standby follows. */
  start(): Promise<void>;
  /** What a load balancer's health check would ask of this node. */
  isPrimary(node: DatabaseNode): Promise<boolean>;
  /** Why there is no primary that so many standbys follow (without a number: all); undefined when there is. */
  trouble(standbys?: number): Promise<string | undefined>;
  /** Has every standby that does not follow copied anew, as an administrator would. */
  rebuild(): Promise<void>;
  switchover(from: DatabaseNode): Promise<void>;
  /** A copy of the primary's data for `restore`; absent where a manager's own state would contradict an older database. */
  backup?(): Promise<string>;
  /** Makes the backup the only data there is; every node is dead before. */
  restore?(backup: string): Promise<void>;
  stop(): Promise<void>;
}

export const DATABASE = 'coordination';
export const DATABASE_USER = 'coordination';
export const DATABASE_PASSWORD = 'torture';
