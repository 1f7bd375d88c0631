import type { Logger } from 'pino';
import pg from 'pg';
import { toStorageError } from './pg-errors.js';
import { destroyClient, destroyIdle, watchSilence } from './silence.js';

export interface ConnectionPoolOptions {
  readonly config: pg.ClientConfig;
  readonly max: number;
  /** The longest that the server may be silent while an answer is awaited. */
  readonly silenceMs: number;
  /** Makes a new session ready; its failure refuses the connection. */
  readonly prepare: (client: pg.ClientBase) => Promise<void>;
  readonly logger: Logger;
}

/** The connections that are open, those of them that nobody uses, and how many wait for one. */
export interface PoolStatistics {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Connections for one purpose. Where one falls silent, those that are idle go too: they are likely to share its fate. */
export class ConnectionPool {
  readonly pool: pg.Pool;
  readonly #clients = new Set<pg.PoolClient>();

  constructor({ config, max, silenceMs, prepare, logger }: ConnectionPoolOptions) {
    const guarded = async (client: pg.ClientBase) => {
      watchSilence(client, silenceMs, () => this.#fellSilent());
      await prepare(client);
    };
    this.pool = new pg.Pool({
      ...config,
      max,
      idleTimeoutMillis: 60_000,
      verify: (client, done) => void guarded(client).then(() => done(), done),
    });
    this.pool.on('connect', (client) => {
      this.#clients.add(client);
      // pg-pool listens to idle clients alone, and a lost connection without a listener would end the process
      client.on('error', (err) => logger.debug({ err }, 'lost a database connection in use'));
    });
    this.pool.on('remove', (client) => this.#clients.delete(client));
    this.pool.on('error', (err) => logger.warn({ err: toStorageError(err) }, 'lost an idle database connection'));
  }

  get statistics(): PoolStatistics {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  /** Ends all connections; what is under way on them is rejected. */
  destroyAll(): void {
    for (const client of this.#clients) destroyClient(client);
  }

  #fellSilent(): void {
    for (const client of this.#clients) destroyIdle(client);
  }
}
