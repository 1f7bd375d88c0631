import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readIfPresent } from '../../settings/given-files.js';

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

/**
 * `$1`: the postmaster's process id, `$2`: its cluster directory, which is among its arguments. A process of another program that has
 * received the id since is left alone.
 */
const SCRIPT = `
arguments() { if [ -r "/proc/$1/cmdline" ]; then tr '\\000' '\\n' < "/proc/$1/cmdline"; else ps -o args= -p "$1" | tr ' ' '\\n'; fi; }
ours() { kill -0 "$1" && arguments "$1" | grep -Fxq -- "$2"; }
read -r _
ours "$1" "$2" && kill -INT "$1"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do ours "$1" "$2" || exit 0; sleep 1; done
ours "$1" "$2" && kill -QUIT "$1"
`;

/**
 * Ends a PostgreSQL whose owner was killed, ran out of memory or crashed: a shell that waits for the end of a pipe which only this
 * process holds open. Like PostgreSQL it runs in its own session, so that a terminal's Ctrl-C reaches neither.
 */
export class PostgresWatchdog {
  readonly #shell: ChildProcess;

  constructor(pid: number, clusterDir: string) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'postgres-watchdog', String(pid), path.resolve(clusterDir)], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without a shell, PostgreSQL outlives a killed owner, and the next start ends it.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.unref();
    (this.#shell.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  }

  get pid(): number | undefined {
    return this.#shell.pid;
  }

  /** Ends the watchdog, since PostgreSQL has ended or belongs to another process. */
  dismiss(): void {
    this.#shell.kill('SIGKILL');
  }
}
