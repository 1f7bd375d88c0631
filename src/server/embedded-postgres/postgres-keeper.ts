import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RestartDelay } from '../../time/backoff.js';
import type { EmbeddedPostgres } from './embedded-postgres.js';

/**
 * Starts a PostgreSQL again whenever it ends unexpectedly: at once, and then after delays that grow as long as it does not keep running. What is
 * asked of the server meanwhile is answered as in any outage of a database.
 */
export class PostgresKeeper {
  readonly #postgres: EmbeddedPostgres;
  readonly #logger: Logger;
  readonly #delay = new RestartDelay();
  readonly #stopping = new AbortController();
  #begun = Date.now();

  constructor(postgres: EmbeddedPostgres, logger: Logger) {
    this.#postgres = postgres;
    this.#logger = logger;
    postgres.onUnexpectedExit((reason) => void this.#startAgain(reason));
  }

  /** Stops it, running or not. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#postgres.stop();
  }

  async #startAgain(reason: string): Promise<void> {
    const ended = Date.now();
    this.#logger.error({ reason }, 'the embedded PostgreSQL has ended; starting it again');
    let delay = this.#delay.after(ended - this.#begun);
    while (!this.#stopping.signal.aborted) {
      await sleep(delay, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      const failure = await this.#postgres.startAgain().then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (failure === undefined) {
        this.#begun = Date.now();
        this.#logger.warn({ seconds: (this.#begun - ended) / 1000 }, 'the embedded PostgreSQL runs again');
        return;
      }
      if (this.#stopping.signal.aborted) return;
      delay = this.#delay.after(0);
      this.#logger.error({ reason: failure, nextAttemptSeconds: delay / 1000 }, 'cannot start the embedded PostgreSQL again');
    }
  }
}
