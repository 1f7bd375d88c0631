import { totalmem } from 'node:os';

/** Measured resident memory of an idle TLS connection (docs/operations.md). */
const BYTES_PER_CONNECTION = 48 * 1024;
const PART_OF_MEMORY = 1 / 4;
const FEWEST = 1000;
const MOST = 10_000;

/** The number of connections that fit into a quarter of the process's memory limit, the container's or the machine's. */
export function connectionsThatFit(memory: number = memoryOfProcess()): number {
  const fit = Math.floor((memory * PART_OF_MEMORY) / BYTES_PER_CONNECTION);
  return Math.min(Math.max(fit, FEWEST), MOST);
}

/** Without a limit, constrainedMemory() is 0 or exceeds the machine's memory. */
function memoryOfProcess(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem());
}
