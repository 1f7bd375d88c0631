import { availableParallelism } from 'node:os';
import type { ServerSettings } from './server-settings.js';

/** The number of serving processes: `--workers`, where 0 means one per core available to this process. */
export function workerCount({ workers }: ServerSettings): number {
  return workers === 0 ? availableParallelism() : workers;
}
