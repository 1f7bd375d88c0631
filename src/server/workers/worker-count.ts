import { availableParallelism } from 'node:os';
import type { ServerConfig } from '../config/server-config.js';

/** How many processes serve: `--workers`, where 0 is one for each core that this process may use. */
export function workerCount({ workers }: ServerConfig): number {
  return workers === 0 ? availableParallelism() : workers;
}
