import type { Logger } from 'pino';
import { StartError } from '../start-error.js';
import { Closers } from './closers.js';

/** One start and one stop of something that is made of parts. The parts register how they are stopped. */
export class Lifecycle {
  readonly #closers = new Closers();
  readonly #logger: Logger;
  #starting: Promise<unknown> | undefined;
  #stopRequested = false;
  #closed: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** When the work rejects, whatever it has started is stopped before this does. */
  async start<T>(work: () => Promise<T>): Promise<T> {
    const starting = work();
    this.#starting = starting;
    try {
      return await starting;
    } catch (error) {
      await this.#close();
      throw error;
    }
  }

  /** Stops what runs; a start under way is given up at its next step. */
  async stop(): Promise<void> {
    this.#stopRequested = true;
    await this.#starting?.catch(() => undefined);
    await this.#close();
  }

  /** Registers how a part that has been started is stopped: the last one first. */
  onStop(close: () => Promise<void> | void): void {
    this.#closers.push(close);
  }

  /** To be called between the steps of a start. */
  proceed(): void {
    if (this.#stopRequested) throw new StartError('stopped while starting');
  }

  #close(): Promise<void> {
    this.#closed ??= this.#closers.closeAll((error) => this.#logger.error({ err: error }, 'a part of the server did not stop cleanly'));
    return this.#closed;
  }
}
