import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PROGRAM } from '../support/program-under-test.js';

/** `lock` as scripts call it, at a server or straight at its database. */
export class ShellWay {
  readonly #lock: string;
  readonly #place: readonly string[];
  readonly #running = new Set<ChildProcess>();

  /** `place`: the options that name the server or the database. */
  constructor(lock: string, place: readonly string[]) {
    this.#lock = lock;
    this.#place = place;
  }

  /** Runs a command under the lock. Returns `done`, or the exit code with the line that says why. */
  async run(...command: readonly string[]): Promise<string> {
    const child = this.start(...command);
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return code === 0 ? 'done' : `exit code ${code ?? signal}: ${stderr.trim().split('\n').at(-1) ?? ''}`.slice(0, 200);
  }

  start(...command: readonly string[]): ChildProcess {
    const args = [PROGRAM, 'lock', this.#lock, '--wait=5s', '--duration=6s', ...this.#place, '--', ...command];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    return child;
  }

  /** Ends what still runs, as Ctrl-C does. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#running].map((child) => {
        child.kill('SIGTERM');
        return once(child, 'close');
      }),
    );
  }
}
