import type { Logger } from 'pino';
import { StartError } from './start-error.js';

/**
 * One start and one stop of a process. Each part registers how to stop it as soon as it is opened; parts are stopped one by one in reverse
 * order. The same happens if the start fails, and to a part that is opened after that.
 *
 * Nest's shutdown hooks cannot do this: if an asynchronous provider rejects, Nest runs no hooks of providers that are already open.
 */
export class Lifecycle {
  readonly #stops: (() => Promise<void> | void)[] = [];
  readonly #logger: Logger;
  #onStep: ((step: string) => void) | undefined;
  #starting: Promise<unknown> | undefined;
  #stopRequested = false;
  #stopping: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** If the work rejects, everything it has opened is stopped before this rejects. `onStep` is called at the beginning of each step. */
  async start<T>(work: () => Promise<T>, onStep?: (step: string) => void): Promise<T> {
    this.#onStep = onStep;
    const starting = work();
    this.#starting = starting;
    try {
      return await starting;
    } catch (error) {
      await this.#stopAll();
      throw error;
    }
  }

  /** Stops everything; a start in progress is abandoned at its next step. */
  async stop(): Promise<void> {
    this.#stopRequested = true;
    await this.#starting?.catch(() => undefined);
    await this.#stopAll();
  }

  /** Registers how to stop a part that has just been opened. */
  onStop(stop: () => Promise<void> | void): void {
    this.#stops.push(stop);
    // Factories run concurrently: another one failed while this part was being opened.
    if (this.#stopping) this.#stopping = this.#stopping.then(() => this.#unwind());
  }

  /** Call it before each step of a start. Throws StartError if a stop has been requested. */
  begin(step: string): void {
    if (this.#stopRequested) throw new StartError('stopped while starting');
    this.#onStep?.(step);
  }

  /** Does one part of a start, beside which others may run, and logs at debug what it took, and when the process had it. */
  async phase<T>(phase: string, work: () => T | Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work();
    const ended = performance.now();
    this.#logger.debug({ phase, ms: Math.round(ended - began), at: Math.round(ended) }, 'a phase of the start is over');
    return result;
  }

  #stopAll(): Promise<void> {
    this.#stopping ??= this.#unwind();
    return this.#stopping;
  }

  /** A part that fails to stop does not prevent the others from stopping. */
  async #unwind(): Promise<void> {
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      try {
        await stop();
      } catch (err) {
        this.#logger.error({ err }, 'a part of the server did not stop cleanly');
      }
    }
  }
}
