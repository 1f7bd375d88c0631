import type { Logger } from 'pino';
import pg from 'pg';
import { DEFAULT_CONNECT_TIMEOUT_MS, DEFAULT_READ_CONNECTIONS, DEFAULT_STATEMENT_TIMEOUT_MS } from './database-options.js';
import type { DatabaseOptions } from './database-options.js';
import { toStorageError } from './pg-errors.js';
import { sessionSettings } from './session-settings.js';
import type { Statement } from './statement.js';

export type ConnectionPurpose = 'reads' | 'writes' | 'notifications' | 'maintenance' | 'start';

/** The connections for reads, and how many readers wait for one. */
export interface PoolStatistics {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

interface SessionFacts extends pg.QueryResultRow {
  readonly system_identifier: string;
  readonly in_recovery: boolean;
}

/** int8 as a number: revisions are safe integers. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * The connections to one database: a pool for reads, and single ones for whoever needs a session of his own. All of them lead to the
 * same cluster: one that has another system identifier than the first is refused, since its revisions are not ours. All lead to its primary:
 * what an address that moves, or a proxy, leads to a standby is refused and tried again.
 */
export class Database {
  readonly options: DatabaseOptions;
  readonly statementTimeoutMs: number;
  readonly #logger: Logger;
  readonly #pool: pg.Pool;
  #systemIdentifier: string | undefined;

  constructor(options: DatabaseOptions, logger: Logger) {
    this.options = options;
    this.statementTimeoutMs = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS;
    this.#logger = logger;
    this.#pool = new pg.Pool({
      ...this.#config('reads'),
      max: options.readConnections ?? DEFAULT_READ_CONNECTIONS,
      idleTimeoutMillis: 60_000,
      verify: (client, done) => void this.#prepareSession(client).then(() => done(), done),
    });
    // pg-pool listens to idle clients alone, and a lost connection without a listener would end the process
    this.#pool.on('connect', (client) => client.on('error', (err) => this.#logger.debug({ err }, 'lost a database connection in use')));
    this.#pool.on('error', (err) => this.#logger.warn({ err }, 'lost an idle database connection'));
  }

  get connections(): PoolStatistics {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** For Kysely. */
  get pool(): pg.Pool {
    return this.#pool;
  }

  /** Known after the first connection. */
  get systemIdentifier(): string | undefined {
    return this.#systemIdentifier;
  }

  /** A connection of the caller's own, which he ends. */
  async connect(purpose: ConnectionPurpose): Promise<pg.Client> {
    const client = new pg.Client(this.#config(purpose));
    client.on('error', (err) => this.#logger.debug({ err, purpose }, 'database connection failed'));
    await client.connect();
    try {
      // whether the settings exist is what is found out at start
      if (purpose !== 'start') await this.#prepareSession(client);
      return client;
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Runs a statement on any connection; StorageError Unavailable when that does not work. */
  async query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    try {
      const { rows } = await this.traced(statement, () => this.#pool.query<Row>(this.prepared(statement, values)));
      return rows;
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Runs `work` on one of the read connections, in a transaction that sees one snapshot. */
  async inSnapshot<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toStorageError(error);
    });
    try {
      await client.query('begin isolation level repeatable read read only');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw toStorageError(error);
    }
  }

  /** Sends a statement as a step of whatever is traced. */
  traced<T>({ name, text }: Statement, send: () => Promise<T>): Promise<T> {
    const { tracing } = this.options;
    if (!tracing) return send();
    return tracing.step(`SQL ${name}`, { 'db.system.name': 'postgresql', 'db.query.text': text.trim() }, send);
  }

  prepared({ name, text }: Statement, values: unknown[]): pg.QueryConfig {
    return this.options.preparedStatements === false ? { text, values } : { name, text, values };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #config(purpose: ConnectionPurpose): pg.ClientConfig {
    return {
      ...(this.options.url ? { connectionString: this.options.url } : {}),
      application_name: `coordination-apiserver ${purpose}`,
      connectionTimeoutMillis: this.options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types,
    };
  }

  async #prepareSession(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<SessionFacts>(sessionSettings(this.statementTimeoutMs));
    // a standby may be behind, so it is refused for reads too
    if (rows[0]?.in_recovery && !this.options.standby) throw new Error('the connection leads to a standby: the server needs the primary');
    const identifier = rows[0]?.system_identifier;
    this.#systemIdentifier ??= identifier;
    if (identifier === this.#systemIdentifier) return;
    this.#logger.error({ expected: this.#systemIdentifier, found: identifier }, 'refused a connection to another database cluster');
    throw new Error('the connection leads to another database cluster than before: restart the server to go on with that one');
  }
}
