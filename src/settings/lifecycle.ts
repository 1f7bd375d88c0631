import type { Logger } from 'pino';
import { StartError } from './start-error.js';

/**
 * One start and one stop of a process. A part registers how it is stopped as soon as it is opened; parts are stopped in the reverse
 * order, one after the other. The same happens when the start fails, and to a part that is opened after that.
 *
 * Nest's shutdown hooks cannot do this: when an asynchronous provider rejects, Nest runs no hook of the providers that are open already.
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

  /** When the work rejects, whatever it has opened is stopped before this rejects. `onStep` is called with each step that begins. */
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

  /** Stops what runs; a start under way is given up at its next step. */
  async stop(): Promise<void> {
    this.#stopRequested = true;
    await this.#starting?.catch(() => undefined);
    await this.#stopAll();
  }

  /** Registers how a part that has just been opened is stopped. */
  onStop(stop: () => Promise<void> | void): void {
    this.#stops.push(stop);
    // Factories run side by side: another one has failed while this part was opened.
    if (this.#stopping) this.#stopping = this.#stopping.then(() => this.#unwind());
  }

  /** To be called before each step of a start: throws StartError when a stop is requested. */
  begin(step: string): void {
    if (this.#stopRequested) throw new StartError('stopped while starting');
    this.#onStep?.(step);
  }

  #stopAll(): Promise<void> {
    this.#stopping ??= this.#unwind();
    return this.#stopping;
  }

  /** A part that fails to stop does not keep the others from stopping. */
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
