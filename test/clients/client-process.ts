import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../support/eventually.js';

/** A client program that runs beside a test; keeps its output by line. */
export class ClientProcess {
  readonly lines: string[] = [];
  /** When each line was read, as `performance.now()` has it. */
  readonly readAt: number[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #rest = '';
  #endedAt: number | undefined;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#exited = once(this.#child, 'exit').then(() => (this.#endedAt = performance.now()));
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  #take(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    this.lines.push(...lines);
    this.readAt.push(...lines.map(() => performance.now()));
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.ended === undefined) this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** The exit code, or the signal that ended the program; undefined while it runs. */
  get ended(): number | NodeJS.Signals | undefined {
    return this.#child.exitCode ?? this.#child.signalCode ?? undefined;
  }

  /** When the program ended, as `performance.now()` has it; undefined while it runs. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  /** The first line that matches, once it is printed. */
  line(pattern: RegExp, withinMs?: number): Promise<string> {
    return eventually(
      () => this.lines.find((line) => pattern.test(line)),
      () => `no line ${pattern} in:\n${this.lines.join('\n')}`,
      withinMs,
    );
  }
}
