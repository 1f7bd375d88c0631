import type { Logger } from 'pino';
import pg from 'pg';
import { PoolIsBusy, destroyClient, destroyIdle, hasNoPlace, toStorageError, watchSilence } from './session/pg-errors.js';
import type { PrimaryFinder } from './hosts/primary-finder.js';
import { DatabaseClient } from './session/database-client.js';

/** Configuration of a connection pool. */
export interface ConnectionPoolOptions {
  readonly hosts: PrimaryFinder;
  /** Everything but the host. */
  readonly config: pg.ClientConfig;
  readonly max: number;
  /** How long the server may be silent while a response is awaited. */
  readonly silenceMs: number;
  /** Initializes a new session; if it fails, the connection is rejected. */
  readonly prepare: (client: pg.ClientBase) => Promise<void>;
  readonly logger: Logger;
  /** Ends idle connections of other pools, where the database has no place for one of this pool; resolves to whether there were any. */
  readonly makeRoom?: () => Promise<boolean>;
}

/** Numbers of open connections, of idle ones, and of callers waiting for one. */
export interface PoolStatistics {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

const NO_ROOM = () => Promise.resolve(false);

/** Connections for one purpose. When one falls silent, the idle ones are destroyed too, because they probably are as well. */
export class ConnectionPool {
  readonly #pool: pg.Pool;
  readonly #hosts: PrimaryFinder;
  readonly #clients = new Set<pg.PoolClient>();
  /** Clients lent to callers; one that is being prepared is not among them. */
  readonly #inUse = new Set<pg.PoolClient>();
  readonly #max: number;
  readonly #makeRoom: () => Promise<boolean>;

  constructor({ hosts, config, max, silenceMs, prepare, logger, makeRoom = NO_ROOM }: ConnectionPoolOptions) {
    const guarded = async (client: pg.ClientBase) => {
      watchSilence(client, silenceMs, () => this.#fellSilent());
      await prepare(client);
    };
    this.#hosts = hosts;
    this.#max = max;
    this.#makeRoom = makeRoom;
    this.#pool = new pg.Pool({
      ...config,
      Client: clientOf(hosts),
      max,
      idleTimeoutMillis: 60_000,
      verify: (client, done) => void guarded(client).then(() => done(), done),
    });
    this.#pool.on('connect', (client) => {
      this.#clients.add(client);
      // pg-pool handles errors of idle clients only; without a listener, the loss of a connection in use would end the process.
      client.on('error', (err) => logger.debug({ err }, 'lost a database connection in use'));
    });
    this.#pool.on('release', (_, client) => this.#inUse.delete(client));
    this.#pool.on('remove', (client) => this.#clients.delete(client));
    this.#pool.on('error', (err) => logger.warn({ err: toStorageError(err) }, 'lost an idle database connection'));
  }

  get statistics(): PoolStatistics {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  connect(): Promise<pg.PoolClient> {
    return makingRoom(this.#makeRoom, () => this.#hosts.reach(() => this.#acquire()));
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

  /** Ends what is idle. Resolves, once the database has ended these sessions too, to whether there were any. */
  async endIdle(): Promise<boolean> {
    const ended: Promise<unknown>[] = [];
    for (let left = this.#pool.idleCount; left > 0; left--) {
      const client = await this.#pool.connect();
      ended.push(new Promise((resolve) => client.once('end', resolve)));
      client.release(true);
    }
    await Promise.all(ended);
    return ended.length > 0;
  }

  /** Destroys all connections; queries in progress are rejected. */
  destroyAll(): void {
    for (const client of this.#clients) destroyClient(client);
  }

  /**
   * pg-pool hands over a connection whose initialization finishes after the request for it has timed out. Nobody else would return it to
   * the pool, and a pool with a single connection would be stuck for good.
   */
  #acquire(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let answered = false;
      this.#pool.connect((error, client) => {
        if (answered) return client?.release();
        answered = true;
        if (client) {
          this.#inUse.add(client);
          resolve(client);
        } else if (this.#inUse.size >= this.#max) reject(new PoolIsBusy('all connections of the pool are busy', { cause: error }));
        else reject(error ?? new Error('no free connection in the pool'));
      });
    });
  }

  #fellSilent(): void {
    for (const client of this.#clients) destroyIdle(client);
  }
}

/** Opens a connection, a second time after making room if the database has no place for it. */
export async function makingRoom<T>(makeRoom: () => Promise<boolean>, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!hasNoPlace(error) || !(await makeRoom())) throw error;
    return await open();
  }
}

/** The pool creates clients from one configuration, but the primary may move to another host. */
function clientOf(hosts: PrimaryFinder): new () => pg.Client {
  return class extends DatabaseClient {
    constructor(config?: pg.ClientConfig) {
      // pg-pool hides the password from enumeration.
      super({ ...config, ...(config?.password ? { password: config.password } : {}), ...hosts.current });
    }
  };
}
