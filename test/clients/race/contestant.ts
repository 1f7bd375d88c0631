import { eventually } from '../../support/eventually.js';
import { ClientProcess } from '../client-process.js';
import type { Kind, Launch } from './kinds.js';
import type { Pause } from './overstays.js';
import { type Reign, reignsOf } from './reigns-of.js';

/** Programs that release the lease when they are told to stop. */
const RELEASING: readonly Kind[] = ['typescript', 'typescriptterm', 'shell', 'shellterm', 'shelldb', 'apscheduler', 'celery', 'rufus'];

/** A program that competes for a lease, started again under a new name when it has ended. */
export class Contestant {
  readonly kind: Kind;
  readonly pauses: Pause[] = [];
  /** The names under which it was told to stop. */
  readonly toldToStop: string[] = [];
  readonly #number: number;
  readonly #launch: Launch;
  readonly #processes: ClientProcess[] = [];
  #pausedAt: number | undefined;
  #killed = false;

  constructor(kind: Kind, number: number, launch: Launch) {
    this.kind = kind;
    this.#number = number;
    this.#launch = launch;
    this.start();
  }

  get identity(): string {
    return `${this.kind}-${this.#number}.${this.#processes.length}`;
  }

  /** The output of all its processes. */
  get lines(): readonly string[] {
    return this.#processes.flatMap(({ lines }) => lines);
  }

  /** How the running process has ended, if it has: with a code, or by a signal. */
  get ended(): number | NodeJS.Signals | undefined {
    return this.#running.ended;
  }

  /** Whether it was made to end. */
  get wasKilled(): boolean {
    return this.#killed;
  }

  get canRelease(): boolean {
    return RELEASING.includes(this.kind);
  }

  start(): void {
    this.#killed = false;
    const [command, ...args] = this.#launch(`${this.kind}-${this.#number}.${this.#processes.length + 1}`);
    this.#processes.push(new ClientProcess(command, args));
  }

  pause(): void {
    this.#running.signal('SIGSTOP');
    this.#pausedAt = performance.now();
  }

  resume(): void {
    if (this.#pausedAt !== undefined) this.pauses.push({ from: this.#pausedAt, until: performance.now() });
    this.#pausedAt = undefined;
    this.#running.signal('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#killed = true;
    this.resume();
    await this.#running.kill();
  }

  /** Tells it to stop; resolves when it has ended by itself. */
  async release(): Promise<void> {
    this.#killed = true;
    this.toldToStop.push(this.identity);
    this.#running.signal('SIGTERM');
    await eventually(
      () => this.ended !== undefined,
      () => `${this.identity} does not stop:\n${this.lines.slice(-20).join('\n')}`,
    );
  }

  get reigns(): readonly Reign[] {
    return this.#processes.flatMap(reignsOf);
  }

  /** Whether any of its processes has begun to lead since a time. */
  hasLedSince(time: number): boolean {
    return this.#processes.some(({ lines, readAt }) => lines.some((line, at) => Number(readAt[at]) >= time && line.startsWith('leading ')));
  }

  /** The name under which the running process believes to hold the lease, if it does. */
  get leadsAs(): string | undefined {
    if (this.ended !== undefined) return undefined;
    const last = this.#running.lines.findLast((line) => /^(leading|lost) /.test(line));
    return /^leading (\S+)/.exec(last ?? '')?.[1];
  }

  get #running(): ClientProcess {
    return this.#processes.at(-1) as ClientProcess;
  }
}
