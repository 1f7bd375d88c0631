import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ClientProcess } from './client-process.js';
import { type ProgramOptions, type ProgramResult, runProgram } from './run-program.js';

/** A kubectl with its own home directory, so that no discovery cache is shared. */
export class Kubectl {
  readonly #program: string;
  readonly #kubeconfig: string;
  readonly #home: string;
  readonly [Symbol.asyncDispose] = () => this.remove();

  private constructor(program: string, kubeconfig: string, home: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
    this.#home = home;
  }

  static async of(dataDir: string, program = 'kubectl'): Promise<Kubectl> {
    return new Kubectl(program, path.join(dataDir, 'admin.kubeconfig'), await mkdtemp(path.join(tmpdir(), 'kubectl-')));
  }

  run(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
    const env = { HOME: this.#home, KUBECONFIG: this.#kubeconfig, ...options.env };
    return runProgram(this.#program, args, { ...options, env });
  }

  /** Runs a command that must succeed with an empty stderr; returns stdout. */
  async ok(...args: string[]): Promise<string> {
    return this.#quiet(args, await this.run(args));
  }

  /** The same, with a document on stdin. */
  async feed(document: unknown, ...args: string[]): Promise<string> {
    return this.#quiet(args, await this.run(args, { input: JSON.stringify(document) }));
  }

  /** Runs a command that must succeed, whatever it says on stderr; returns stdout. */
  async printed(args: readonly string[], options?: ProgramOptions): Promise<string> {
    return this.#quiet(args, await this.run(args, options), true);
  }

  #quiet(args: readonly string[], { code, stdout, stderr }: ProgramResult, maySay = false): string {
    if (code !== 0 || (stderr !== '' && !maySay)) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Starts a command that keeps running, such as `get --watch`. */
  start(...args: string[]): ClientProcess {
    return new ClientProcess(this.#program, args, { ...process.env, HOME: this.#home, KUBECONFIG: this.#kubeconfig });
  }

  remove(): Promise<void> {
    return rm(this.#home, { recursive: true, force: true });
  }
}
