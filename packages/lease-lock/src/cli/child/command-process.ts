import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodeOfSignal } from '../exit-codes.js';

const LOOK_EVERY = 50;

/** Becomes the command as soon as there is a line on descriptor 3, and ends if there never is one. The shell sets the codes 126 and 127. */
const GATE = 'read -r line <&3 || exit 1; exec 3<&-; exec "$@"';

/** A command in a process group of its own, with the standard streams of this process. */
export class CommandProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 0) : exitCodeOfSignal(signal)));
    });
  }

  /** Starts the process; the command itself waits for `open`. The shell's message that it cannot be executed begins with the label. */
  static async start(command: readonly string[], label: string, variables: Readonly<Record<string, string>>): Promise<CommandProcess> {
    // A new session, hence a new process group: signals for the command reach its children, and the terminal's reach it only once.
    const child = spawn('/bin/sh', ['-c', GATE, label, ...command], {
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
      detached: true,
      env: { ...process.env, ...variables },
    });
    const started = new CommandProcess(child);
    await once(child, 'spawn');
    return started;
  }

  /** Lets the command begin. */
  open(): void {
    const gate = this.#child.stdio[3] as Writable;
    gate.on('error', () => undefined); // it has ended before
    gate.end('go\n');
  }

  /** The id of the command and of its process group. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Also to a command that is stopped. */
  tellToEnd(): void {
    this.signal('SIGTERM');
    this.signal('SIGCONT');
  }

  /** Sends a signal to every process of the group. */
  signal(name: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Resolves with the command's exit code when no process of its group is left. */
  async finished(): Promise<number> {
    const code = await this.#ended;
    while (groupRuns(this.pid)) await sleep(LOOK_EVERY);
    return code;
  }
}

/** Whether a process of the group still runs. Processes that have ended, but that nobody has waited for, do not. */
function groupRuns(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return process.platform === 'linux' ? hasRunningMember(group) : true;
}

function hasRunningMember(group: number): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const [state, , itsGroup] = statOf(pid);
      return Number(itsGroup) === group && state !== 'Z' && state !== 'X';
    });
}

/** State, parent, group and more: proc(5). The command's name before them may contain anything. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // it has ended meanwhile
  }
}
