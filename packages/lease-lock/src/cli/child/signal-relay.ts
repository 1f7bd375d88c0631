import type { CommandProcess } from './command-process.js';

/** Ask the program to end. */
const STOPS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
const PASSED_ON = ['SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const;

export class StoppedBySignal extends Error {
  override readonly name = 'StoppedBySignal';

  constructor(readonly signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
  }
}

/** Passes the signals that this process receives on to the command, if one runs. */
export class SignalRelay {
  readonly #stop = new AbortController();
  #command: CommandProcess | undefined;
  #beforeContinuing: () => void = () => undefined;

  constructor() {
    for (const name of STOPS) {
      process.on(name, () => {
        this.#command?.signal(name);
        this.#stop.abort(new StoppedBySignal(name));
      });
    }
    for (const name of PASSED_ON) process.on(name, () => this.#command?.signal(name));
    process.on('SIGTSTP', () => this.#suspend());
    process.on('SIGCONT', () => this.#continue());
  }

  /** Aborts with a StoppedBySignal. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Also passes on a signal that has come already. `beforeContinuing` is called before a stopped command continues. */
  passOnTo(command: CommandProcess, beforeContinuing: () => void): void {
    this.#command = command;
    this.#beforeContinuing = beforeContinuing;
    if (this.stop.aborted) command.signal((this.stop.reason as StoppedBySignal).signal);
  }

  passOnToNobody(): void {
    this.#command = undefined;
    this.#beforeContinuing = () => undefined;
  }

  /** Ctrl-Z: the command stops first. Nobody renews the lease meanwhile. */
  #suspend(): void {
    this.#command?.signal('SIGSTOP');
    process.kill(process.pid, 'SIGSTOP');
  }

  #continue(): void {
    this.#beforeContinuing();
    this.#command?.signal('SIGCONT');
  }
}
