import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPostmasterOf, readPostmasterFile } from '../../../src/server/embedded-postgres/postmaster-pid.js';

/** Processes whose working directory is in `dir`: PostgreSQL's work in their data directory, managers in their node's. */
export function processesIn(dir: string): number[] {
  return allProcesses().filter((pid) => {
    const cwd = workingDirectory(pid);
    return cwd !== undefined && (cwd === dir || cwd.startsWith(`${dir}${path.sep}`));
  });
}

/** A process and its descendants, as far as they still have their parent. */
export function processTree(root: number): number[] {
  const children = Map.groupBy(allProcesses(), parentOf);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Sends a signal to each process; those that have ended are skipped. */
export function signalAll(pids: Iterable<number>, signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Kills everything that works in `dir`, including processes started meanwhile. */
export async function killAllIn(dir: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    const left = processesIn(dir);
    if (left.length === 0) return;
    signalAll(left, 'SIGKILL');
    await sleep(20);
  }
  throw new Error(`processes in ${dir} do not end: ${processesIn(dir).join(', ')}`);
}

/** The postmaster of a data directory, by its pid file; undefined if none is running. */
export function postmasterOf(dataDir: string): number | undefined {
  const pid = readPostmasterFile(dataDir)?.pid;
  return pid !== undefined && isPostmasterOf(pid, dataDir) ? pid : undefined;
}

function allProcesses(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return 0;
  }
}
