import type { TcpLink } from '../../support/tcp-link.js';
import { ClientProcess } from '../client-process.js';
import type { Command, Recipe } from './recipe.js';

/** A program of the documentation that competes for its lease, and is started again when it has ended. */
export class Contender {
  readonly recipe: Recipe;
  readonly link: TcpLink;
  readonly #command: Command;
  readonly #processes: ClientProcess[] = [];

  constructor(recipe: Recipe, link: TcpLink, command: Command) {
    this.recipe = recipe;
    this.link = link;
    this.#command = command;
    this.revive();
  }

  /** Starts it again if it has ended, as a supervisor would. */
  revive(): void {
    if (this.#processes.length > 0 && this.#last.ended === undefined) return;
    const [program, ...args] = this.#command.command;
    // an empty variable is none
    const env = Object.fromEntries(Object.entries({ ...process.env, ...this.#command.env }).filter(([, value]) => value !== ''));
    this.#processes.push(new ClientProcess(program, args, env));
  }

  /** Forgets what was printed before this process. */
  forget(): void {
    this.#processes.splice(0, this.#processes.length - 1);
  }

  /** When it began a job, by the wall clock: those between two times. */
  begun(after: number, before = Infinity): number[] {
    return this.#processes
      .flatMap(({ lines }) => lines)
      .flatMap((line) => (line.startsWith('begins ') ? [Number(line.slice(7))] : []))
      .filter((at) => at > after && at < before);
  }

  /** Whether it has said that it leads, and not that it does no longer. */
  get believes(): boolean {
    return (
      this.#last.ended === undefined &&
      this.#last.lines.findLast((line) => /^(leading|lost|no longer leading)\b/.test(line))?.startsWith('leading') === true
    );
  }

  get output(): string {
    return this.#processes
      .flatMap(({ lines }) => lines.filter((line) => !line.startsWith('begins ')))
      .slice(-15)
      .join('\n');
  }

  sleep(): void {
    this.#signal('SIGSTOP');
  }

  wake(): void {
    this.#signal('SIGCONT');
  }

  async kill(): Promise<void> {
    this.wake();
    await this.#last.kill();
  }

  #signal(name: NodeJS.Signals): void {
    if (this.#last.ended !== undefined) return;
    this.#last.signal(name);
    const also = this.#last.lines.find((line) => line.startsWith('also '));
    if (also !== undefined) process.kill(Number(also.slice(5)), name);
  }

  get #last(): ClientProcess {
    return this.#processes.at(-1) as ClientProcess;
  }
}
