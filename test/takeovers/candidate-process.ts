import path from 'node:path';
import { ClientProcess } from '../clients/client-process.js';
import { eventually } from '../support/eventually.js';

export interface CandidateOptions {
  readonly server: string;
  readonly leases: readonly string[];
}

const LOADER = path.resolve(import.meta.dirname, '../support/register-typescript.mjs');

/** A candidate for all leases, in a process of its own, restarted under a new name when it has ended. */
export class CandidateProcess {
  readonly #options: CandidateOptions;
  readonly #place: number;
  #process: ClientProcess | undefined;
  #generation = 0;

  constructor(place: number, options: CandidateOptions) {
    this.#place = place;
    this.#options = options;
  }

  get identity(): string {
    return `candidate-${this.#place}.${this.#generation}`;
  }

  async start(): Promise<void> {
    this.#generation += 1;
    const { server, leases } = this.#options;
    const parameters = { server, token: 'admin-token', identity: this.identity, leases: leases.join(',') };
    const program = path.join(import.meta.dirname, 'candidate.ts');
    const given = Object.entries(parameters).map(([name, value]) => `--${name}=${value}`);
    this.#process = new ClientProcess(process.execPath, ['--import', LOADER, program, ...given]);
    await this.#process.line(/^ready$/);
  }

  async kill(): Promise<void> {
    await this.#running.kill();
  }

  pause(): void {
    this.#running.signal('SIGSTOP');
  }

  resume(): void {
    this.#running.signal('SIGCONT');
  }

  /** Resolves once it has released its leases and ended. */
  async release(): Promise<void> {
    const running = this.#running;
    running.signal('SIGTERM');
    const code = await eventually(() => running.ended);
    if (code !== 0) throw new Error(`${this.identity} ended with ${code}:\n${running.lines.join('\n')}`);
  }

  get #running(): ClientProcess {
    if (!this.#process) throw new Error('not started');
    return this.#process;
  }
}
