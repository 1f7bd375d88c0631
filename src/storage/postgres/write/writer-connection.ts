import type pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.js';
import { sendQuery } from '../../database/session/database-client.js';
import { ConnectionLost, awaitsAnswer, destroyClient, keepsSession, onSilence, watchSilence } from '../../database/session/pg-errors.js';
import { type Statement, runStatement, sqlStatement } from '../../database/statement/statement.js';

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

/** Terminates a session that is idle, so that a command still on its way to it is never executed. */
const LOOK_AFTER_SESSION = sqlStatement<{ idle: boolean | null }, readonly [pid: number, start: string]>(
  'look_after_session',
  `
    select state like 'idle%' as idle, case when state like 'idle%' then pg_terminate_backend(pid) end
    from pg_stat_activity where pid = $1 and backend_start = $2::text::timestamptz`,
);

const OWN_BACKEND = sqlStatement<Backend, readonly []>(
  'own_backend',
  'select pid, backend_start::text as start from pg_stat_activity where pid = pg_backend_pid()',
);

/** A commit usually takes milliseconds. */
const LOOK_AFTER_MS = 3_000;

/** The server process behind a session. */
interface Backend {
  readonly pid: number;
  readonly start: string;
}

/**
 * Detects a dead writer connection within seconds. Silence alone proves nothing, since a batch may be waiting for the counter or for a
 * standby, so another connection checks whether the server process is working. Behind a pooler that process is unknown, and only the
 * statement's time limit applies.
 */
async function watchSession(client: pg.Client, database: Database, logger: Logger): Promise<void> {
  const unwatch = watchSilence(client, LOOK_AFTER_MS);
  const backend = await backendOf(client);
  unwatch();
  const limitMs = database.writeSilenceMs;
  const giveUp = () => {
    logger.warn({ err: new ConnectionLost('the connection for writes was silent') }, 'the connection for writes is silent; closing it');
    destroyClient(client);
  };
  if (!backend) return void onSilence(client, limitMs, giveUp);
  onSilence(client, LOOK_AFTER_MS, (silentMs) => {
    if (silentMs >= limitMs) return giveUp();
    isDead(database, backend).then(
      (dead) => dead && awaitsAnswer(client) && giveUp(),
      (err: unknown) => logger.debug({ err }, 'cannot monitor the session that writes'),
    );
  });
}

async function backendOf(client: pg.Client): Promise<Backend | undefined> {
  const [backend] = await runStatement(client, OWN_BACKEND, []);
  return backend?.pid === (client as { processID?: number }).processID ? backend : undefined;
}

async function isDead(database: Database, { pid, start }: Backend): Promise<boolean> {
  const [row] = await database.query(LOOK_AFTER_SESSION, [pid, start]);
  return row === undefined || row.idle === true;
}
