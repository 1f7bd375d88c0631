import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Each line on stdin says in how many seconds the group $1 gets SIGTERM, and how many seconds later SIGKILL, unless another line comes first.
 * At the end of stdin the group gets SIGTERM at once; the word `done` ends the guard. `sleep` may be missing from the user's PATH; a guard that cannot
 * sleep must not take the time for over.
 */
const SCRIPT = `
PATH=$PATH:/usr/bin:/bin
trap '' HUP INT QUIT TERM
timer=
cancel() { [ -z "$timer" ] || kill -USR1 "$timer"; }
start() {
  ( trap 'kill -KILL "$nap"; exit' USR1
    sleep "$1" & nap=$!; wait "$nap" || exit
    kill -TERM "-$group"; kill -CONT "-$group"
    sleep "$2" & nap=$!; wait "$nap"
    kill -KILL "-$group"; kill -KILL "$$" ) & timer=$!
}
group=$1
cd /
exec 2>/dev/null
while read -r term more; do
  cancel
  [ "$term" = done ] && exit
  start "$term" "$more"
done
kill -TERM "-$group"; kill -CONT "-$group"
while kill -0 "-$group"; do sleep 0.1; done
cancel
`;

/**
 * A shell that stops the command if this process no longer can: because it was killed, or is stopped for longer than the lease holds. It knows
 * the same times, and acts a moment later.
 */
export class Guard {
  readonly #shell: ChildProcess;

  constructor(group: number) {
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'lease-lock-guard', String(group)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#shell.unref();
    // It is one more safeguard: without it the lock still works.
    this.#shell.on('error', () => undefined);
    this.#shell.stdin?.on('error', () => undefined);
  }

  /** Sets the times of SIGTERM and SIGKILL, in milliseconds from now. */
  watch(term: number, kill: number): void {
    this.#tell(`${seconds(term)} ${seconds(kill - term)}`);
  }

  dismiss(): void {
    this.#tell('done');
    this.#shell.stdin?.end();
  }

  #tell(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }
}

function seconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}
