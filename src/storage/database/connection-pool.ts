import type { Logger } from 'pino';
import pg from 'pg';
import { toStorageError } from './session/pg-errors.js';
import type { PrimaryFinder } from './hosts/primary-finder.js';
import { destroyClient, destroyIdle, watchSilence } from './session/silence.js';

/** How a pool of connections is made. */
export interface ConnectionPoolOptions {
  readonly hosts: PrimaryFinder;
  /** Everything but the host. */
  readonly config: pg.ClientConfig;
  readonly max: number;
  /** The longest that the server may be silent while an answer is awaited. */
  readonly silenceMs: number;
  /** Makes a new session ready; its failure refuses the connection. */
  readonly prepare: (client: pg.ClientBase) => Promise<void>;
  readonly logger: Logger;
}

/** How many connections are open, how many of them are idle, and how many callers wait for one. */
export interface PoolStatistics {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Connections for one purpose. Where one falls silent, those that are idle go too: they are likely to share its fate. */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #hosts: PrimaryFinder;
  readonly #clients = new Set<pg.PoolClient>();

  constructor({ hosts, config, max, silenceMs, prepare, logger }: ConnectionPoolOptions) {
    const guarded = async (client: pg.ClientBase) => {
      watchSilence(client, silenceMs, () => this.#fellSilent());
      await prepare(client);
    };
    this.#hosts = hosts;
    this.#pool = new pg.Pool({
      ...config,
      Client: clientOf(hosts),
      max,
      idleTimeoutMillis: 60_000,
      verify: (client, done) => void guarded(client).then(() => done(), done),
    });
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      // pg-pool listens to idle clients alone, and a lost connection without a listener would end the process
      client.on('error', (err) => logger.debug({ err }, 'lost a database connection in use'));
    });
    this.#pool.on('remove', (client) => this.#clients.delete(client));
    this.#pool.on('error', (err) => logger.warn({ err: toStorageError(err) }, 'lost an idle database connection'));
  }

  get statistics(): PoolStatistics {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  connect(): Promise<pg.PoolClient> {
    return this.#hosts.reach(() => this.#acquire());
  }

  async query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.connect();
    try {
      const result = await client.query(query);
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  /** Ends all connections; what is under way on them is rejected. */
  destroyAll(): void {
    for (const client of this.#clients) destroyClient(client);
  }

  /**
   * pg-pool hands over a connection that was still being made ready when the request for it ran out of time. Nobody else would give it back
   * to the pool, and one of a single connection would be stuck for good.
   */
  #acquire(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let answered = false;
      this.#pool.connect((error, client) => {
        if (answered) return client?.release();
        answered = true;
        if (client) resolve(client);
        else reject(error ?? new Error('the pool has no connection'));
      });
    });
  }

  #fellSilent(): void {
    for (const client of this.#clients) destroyIdle(client);
  }
}

/** The pool makes clients of one configuration; where the primary is may change. */
function clientOf(hosts: PrimaryFinder): new () => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, ...hosts.current });
    }
  };
}
