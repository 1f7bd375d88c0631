import type { Freshness } from '../check/freshness.js';
import type { History } from '../check/history.js';
import type { ReadCheck } from '../check/read-check.js';
import type { WriteCheck } from '../check/write-check.js';
import type { Cluster } from '../postgres/cluster.js';
import type { World } from '../world/world.js';
import type { SimulatedServer } from './simulated-server.js';

/** What clients act on, and the checkers of their results. */
export interface Context {
  readonly world: World;
  readonly cluster: Cluster;
  readonly servers: SimulatedServer[];
  readonly history: History;
  readonly freshness: Freshness;
  readonly reads: ReadCheck;
  readonly writes: WriteCheck;
  /** Clients begin nothing new after this moment. */
  readonly endsAt: number;
}
