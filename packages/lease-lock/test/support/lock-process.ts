import { UNUSED_FOLDER } from '../../../../test/support/unused-folder.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import type { ServerProcess } from '../../../../test/support/server-process.js';

const PROGRAM = path.join(import.meta.dirname, 'program.mjs');
/** One run of the program. */
export class LockProcess {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #stdout = '';
  #stderr = '';

  constructor(kubeconfig: string, args: readonly string[]) {
    const env = { ...process.env, NODE_OPTIONS: '', KUBECONFIG: kubeconfig };
    this.#child = spawn(process.execPath, [PROGRAM, ...args], { cwd: UNUSED_FOLDER, stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#exit = once(this.#child, 'close');
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
  }

  /** Runs it to its end. */
  static async run(kubeconfig: string, args: readonly string[]): Promise<LockResult> {
    return new LockProcess(kubeconfig, args).result();
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async result(): Promise<LockResult> {
    await this.#exit;
    return { code: this.#child.exitCode ?? this.#child.signalCode, stdout: this.#stdout, stderr: this.#stderr };
  }

  /** Waits for a line on stdout or stderr. */
  async prints(pattern: RegExp): Promise<void> {
    await eventually(
      () => pattern.test(this.#stdout + this.#stderr) || undefined,
      () => `${pattern} was not printed:\n${this.#stdout}${this.#stderr}`,
    );
  }
}

export interface LockResult {
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function kubeconfigOf({ dataDir }: ServerProcess): string {
  return path.join(dataDir, 'admin.kubeconfig');
}
