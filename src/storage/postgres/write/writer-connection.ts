import type { Logger } from 'pino';
import type pg from 'pg';
import type { Database } from '../../database/database.js';
import { sendQuery } from '../../database/session/send-query.js';
import { keepsSession } from '../../database/session/pg-errors.js';
import { destroyClient } from '../../database/session/silence.js';
import { type Statement, sqlStatement } from '../../database/statement/statement.js';
import { watchSession } from './watch-session.js';

const TAKES_NO_WRITES = sqlStatement<[boolean], readonly []>(
  'takes_no_writes',
  `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean`,
);

/**
 * The one connection over which batches are sent. It is closed after every error except those that concern the values or are temporary,
 * since it may lead to a server that is no longer the primary.
 */
export class WriterConnection {
  readonly #database: Database;
  readonly #logger: Logger;
  #client: pg.Client | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;

  constructor(database: Database, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
  }

  get isOpen(): boolean {
    return this.#client !== undefined;
  }

  /** Callers that arrive while it is being opened share the attempt. */
  async open(): Promise<void> {
    if (this.#client) return;
    await (this.#opening ??= this.#connect().finally(() => (this.#opening = undefined)));
  }

  /** Rejects if writes are impossible: there is no connection, or its server accepts none. */
  async check(): Promise<void> {
    await this.open();
    const { rows } = await this.run(TAKES_NO_WRITES, []);
    const client = this.#client;
    if (!rows[0]?.[0]) return;
    if (client) this.#abandon(client);
    throw new Error('the database is read-only');
  }

  async #connect(): Promise<void> {
    const client = await this.#database.connect('writes');
    client.once('end', () => this.#forget(client));
    client.once('error', () => this.#forget(client));
    await watchSession(client, this.#database, this.#logger);
    this.#client = client;
    if (this.#closed) await this.close();
  }

  /** The server process of the connection, by which notifications of own commits are recognized. */
  get processId(): number | undefined {
    return (this.#client as { processID?: number } | undefined)?.processID;
  }

  /** Rejects with pg's error. A response that does not arrive in time counts as a lost connection. */
  async run<Row extends unknown[]>(statement: Statement<Row>, values: readonly unknown[]): Promise<pg.QueryArrayResult<Row>> {
    const client = this.#client;
    if (!client) throw new Error('the connection for writes is closed');
    try {
      const query = { ...this.#database.prepared(statement, values), rowMode: 'array' as const };
      return await this.#database.traced(statement, () => sendQuery<pg.QueryArrayResult<Row>>(client, query));
    } catch (error) {
      if (!keepsSession(error)) this.#abandon(client);
      throw error;
    }
  }

  /** Closes the connection, because a new one may lead elsewhere. A statement in flight has an unclear outcome. */
  abandon(): void {
    if (this.#client) this.#abandon(this.#client);
  }

  /** Closes the connection, and opens no other. */
  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  #abandon(client: pg.Client): void {
    this.#forget(client);
    destroyClient(client);
  }

  #forget(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
  }
}
