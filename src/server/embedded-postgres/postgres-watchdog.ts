import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

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
