import { availableParallelism } from 'node:os';

/** The number of serving processes for a value of `--workers`, where 0 means one per core available to this process. */
export function workerCount(workers: number): number {
  return workers === 0 ? availableParallelism() : workers;
}
