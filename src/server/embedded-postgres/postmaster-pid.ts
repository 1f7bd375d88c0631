import { readFileSync, realpathSync, writeFileSync, readlinkSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { readIfPresent } from '../../settings/read-if-present.js';

/** The relevant lines of PostgreSQL's `postmaster.pid` (src/include/utils/pidfile.h). */
export interface PostmasterFile {
  readonly pid: number;
  /** `starting`, `ready`, `stopping` or `standby`; empty until the postmaster has written it. */
  readonly status: string;
}

const fileOf = (clusterDir: string): string => path.join(clusterDir, 'postmaster.pid');

/** The lock file of a cluster; undefined if it is missing or still incomplete. */
export function readPostmasterFile(clusterDir: string): PostmasterFile | undefined {
  const lines = readIfPresent(fileOf(clusterDir))?.split('\n') ?? [];
  const pid = Math.abs(Number(lines[0]));
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, status: (lines[7] ?? '').trim() } : undefined;
}

/** Whether a process with this id exists, whichever account owns it. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether process `pid` is a postmaster of this cluster, rather than a process that received the same id later. */
export function isPostmasterOf(pid: number, clusterDir: string): boolean {
  if (!processExists(pid)) return false;
  if (process.platform !== 'linux') return commandOf(pid).includes(clusterDir);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(clusterDir);
  } catch {
    // Only a fully privileged root can read the directory of another account's process; its arguments are public.
    return argumentsOf(pid).includes(path.resolve(clusterDir));
  }
}

/**
 * Disarms a lock file that names a foreign process, and keeps its other lines. PostgreSQL treats an entry with its parent's id as stale
 * (src/backend/utils/init/miscinit.c), but still checks that no server process of the cluster uses the shared memory named there.
 */
export function disownPostmasterFile(clusterDir: string): void {
  const lines = readFileSync(fileOf(clusterDir), 'utf8').split('\n');
  writeFileSync(fileOf(clusterDir), [String(process.pid), ...lines.slice(1)].join('\n'));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
