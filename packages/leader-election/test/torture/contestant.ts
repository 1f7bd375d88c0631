import path from 'node:path';
import { ClientProcess } from '../../../../test/clients/client-process.js';
import { eventually } from '../../../../test/support/eventually.js';
import type { TcpLink } from '../../../../test/support/tcp-link.js';

export type Kind = 'go' | 'typescript';

/** The command that starts a program of this kind as the candidate of this name. */
export type Launch = (identity: string) => readonly [command: string, ...args: string[]];

/** One contestant: a program behind its own proxy, restarted under a new name when it has ended. */
export class Contestant {
  readonly kind: Kind;
  readonly #place: number;
  readonly #proxy: TcpLink;
  readonly #launch: Launch;
  #process: ClientProcess | undefined;
  #generation = 0;
  #earlierLines: string[] = [];
  #killed = false;

  constructor(kind: Kind, place: number, proxy: TcpLink, launch: Launch) {
    this.kind = kind;
    this.#place = place;
    this.#proxy = proxy;
    this.#launch = launch;
  }

  get identity(): string {
    return `${this.kind}-${this.#place}.${this.#generation}`;
  }

  /** The output of all its processes. */
  get lines(): readonly string[] {
    return [...this.#earlierLines, ...this.#running.lines];
  }

  start(): void {
    this.#earlierLines.push(...(this.#process?.lines ?? []));
    this.#generation++;
    this.#killed = false;
    const [command, ...args] = this.#launch(this.identity);
    this.#process = new ClientProcess(command, args);
  }

  signal(name: NodeJS.Signals): void {
    this.#running.signal(name);
  }

  cut(): void {
    this.#proxy.mute();
  }

  heal(): void {
    this.#proxy.resetAll();
    this.#proxy.heal();
  }

  async kill(): Promise<void> {
    this.#killed = true;
    await this.#running.kill();
  }

  get wasKilled(): boolean {
    return this.#killed;
  }

  /** Whether any of its processes has ever led. */
  get hasLed(): boolean {
    return this.lines.some((line) => line.startsWith('leading '));
  }

  /**
   * Whether the process has ended in the way in which client-go's program does when it loses the lease. Any other unforced end is an
   * error: a contest among fewer contestants than intended would prove nothing.
   */
  hasResigned(): boolean {
    const { ended, lines } = this.#running;
    if (ended === undefined || this.#killed) return false;
    if (ended === 0 && lines.includes(`lost ${this.identity}`)) return true;
    throw new Error(`${this.identity} died on its own (${ended}):\n${lines.slice(-20).join('\n')}`);
  }

  /** Waits until it leads; for a contestant without competition. */
  async mustLead(): Promise<void> {
    await eventually(
      () => this.hasLed || this.hasResigned(),
      () => `${this.identity} never led, though nobody else was there:\n${this.lines.slice(-20).join('\n')}`,
    );
  }

  async close(): Promise<void> {
    this.#process?.signal('SIGCONT');
    await this.kill();
    await this.#proxy.close();
  }

  /** Waits for a line of the running process that was not counted before; returns its time. */
  async printed(word: 'leading' | 'lost', before: number): Promise<number> {
    const running = this.#running;
    return eventually(
      () => (running.lines.slice(before).some((line) => line.startsWith(`${word} `)) ? performance.now() : undefined),
      () => `${this.identity} did not print ${word}:\n${running.lines.slice(-20).join('\n')}`,
    );
  }

  /** The number of lines that the running process has printed. */
  get lineCount(): number {
    return this.#running.lines.length;
  }

  get #running(): ClientProcess {
    if (!this.#process) throw new Error('not started');
    return this.#process;
  }
}

/** The Node.js options of the TypeScript programs in this folder: the sources are compiled as they are loaded. */
export function typescriptProgram(file: string): readonly [string, ...string[]] {
  const root = path.resolve(import.meta.dirname, '../../../..');
  return [process.execPath, '--import', path.join(root, 'test/support/register-typescript.mjs'), path.join(import.meta.dirname, file)];
}
