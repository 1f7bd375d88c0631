import type { Clock } from '../../../../kube-client/src/clock.js';
import { WhenDue } from '../../held-lock.js';
import type { CommandProcess } from './command-process.js';

const LOOK_EVERY = 1_000;

export interface DrainingOptions {
  readonly clock: Clock;
  /** Without a limit if absent. */
  readonly drain: number | undefined;
  readonly tell: (line: string) => void;
}

/** The time in which a command that is to end keeps its lease, which the first reason begins. After it, SIGKILL. */
export class Draining {
  readonly #command: CommandProcess;
  readonly #options: DrainingOptions;
  #hasBegun = false;
  #limit: WhenDue | undefined;

  constructor(command: CommandProcess, options: DrainingOptions) {
    this.#command = command;
    this.#options = options;
  }

  begin(why: string): void {
    const { clock, drain, tell } = this.#options;
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    tell(`${why}: the lease is renewed until the command has ended${drain === undefined ? '' : `, for at most ${drain / 1000} s`}`);
    if (drain === undefined) return;
    const until = clock.monotonic() + drain;
    this.#limit = new WhenDue(
      clock,
      () => Math.min(LOOK_EVERY, until - clock.monotonic()),
      () => {
        tell(`the command has not ended within ${drain / 1000} s: SIGKILL`);
        this.#command.signal('SIGKILL');
      },
    );
  }

  /** The command has ended. */
  over(): void {
    this.#limit?.cancel();
  }
}
