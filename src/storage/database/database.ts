import type { Logger } from 'pino';
import pg from 'pg';
import { flushWithCommit } from './session/flush.js';
import { DatabaseClient, passwordFrom, refuseStrayAnswers, sendQuery, watchReplication } from './session/database-client.js';
import { type PoolStatistics, ConnectionPool, makingRoom } from './connection-pool.js';
import { type DatabaseOptions, DEFAULT_CONNECT_TIMEOUT_MS, DEFAULT_READ_TIMEOUT_MS } from './session/database-options.js';
import { locateSchema } from './session/database-schema.js';
import { type DatabaseHost, databaseHosts } from './hosts/database-hosts.js';
import { StorageError } from '../storage-errors.js';
import { PoolIsBusy, SilenceError, isUnclear, toStorageError, watchSilence } from './session/pg-errors.js';
import { type FoundHost, PrimaryFinder } from './hosts/primary-finder.js';
import {
  type SettingLimits,
  SHOW_SERVING,
  eachInTransaction,
  sessionFacts,
  sessionSettings,
  transactionSettings,
} from './session/session-settings.js';
import { type Statement, runStatement } from './statement/statement.js';

/** The purpose of a connection determines its time limits and appears in `application_name`. */
export type ConnectionPurpose =
  'reads' | 'feed' | 'history' | 'states' | 'writes' | 'notifications' | 'maintenance' | 'command' | 'lineage' | 'start';

/**
 * Purposes that have pools: `feed` reads changes, which no other read delays; `history` reads earlier revisions and terms, which may take long;
 * `states` reads and writes Terraform's.
 */
type PooledPurpose = 'reads' | 'feed' | 'history' | 'states';

export interface QueryOptions {
  /** Default: reads. */
  readonly purpose?: PooledPurpose;
  /** Whether the statement's commit must have reached the synchronous standby. */
  readonly isDurable?: boolean;
  /** Whether what the statement reads must be on disk, and on the synchronous standby, before it is returned. */
  readonly flushes?: boolean;
}

/**
 * Time limits of a connection's statements, and how long the server may be silent: longer than they may take, since the server cancels them
 * itself.
 */
interface TimeLimits extends SettingLimits {
  readonly silenceMs: number;
}

/** How long a write, or a read of an earlier revision, may take. */
const WRITE_MS = 15_000;
const MAINTENANCE_MS = 60_000;
/** How long maintenance waits for a lock: a long reader delays maintenance, not the writers queued behind it. */
const MAINTENANCE_LOCK_MS = 2_000;
const SILENCE_MARGIN_MS = 5_000;
const READ_CONNECTIONS = 6;
const HISTORY_CONNECTIONS = 2;
/** Who uses them takes turns, so that nobody waits in the pool, whose patience is short. */
export const STATE_CONNECTIONS = 2;
/** How many statements may wait for one of these connections. */
const MAX_HISTORY_READS = 20;

interface SessionFacts extends pg.QueryResultRow {
  readonly system_identifier: string | null;
  readonly in_recovery: boolean;
  readonly read_only: boolean;
  readonly installation?: string | null;
}

/** int8 as a number: revisions are safe integers. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

/**
 * The connections to one database: pools for reads, and dedicated connections for components that need a session. All lead to the same
 * cluster: a connection with another system identifier than the first is refused, because its revisions are not ours. All lead to the
 * primary: a connection to a standby, or to a primary that is kept read-only, is refused, and the caller tries again. All lead to the same
 * installation, of which caches are.
 */
export class Database {
  readonly options: DatabaseOptions;
  readonly #logger: Logger;
  readonly #pools: Readonly<Record<PooledPurpose, ConnectionPool>>;
  readonly #listening = new Set<pg.Client>();
  readonly #addresses: readonly DatabaseHost[];
  readonly #hosts: PrimaryFinder;
  #systemIdentifier: string | undefined;
  #mayIdentify: boolean | undefined;
  #schema: string | undefined;

  constructor(options: DatabaseOptions, logger: Logger) {
    this.options = options;
    this.#logger = logger;
    this.#addresses = databaseHosts(options.url);
    this.#hosts = new PrimaryFinder(this.#addresses, () => this.#config('start'), options.standby ?? false);
    // In the order in which idle connections are given up.
    this.#pools = {
      states: this.#pool('states', STATE_CONNECTIONS),
      history: this.#pool('history', HISTORY_CONNECTIONS),
      reads: this.#pool('reads', READ_CONNECTIONS),
      feed: this.#pool('feed', 1),
    };
  }

  /** The schema with what SQL clients call. Known once a session has been opened, or if it was configured. */
  get schema(): string {
    return this.#schema ?? this.options.schema ?? '';
  }

  /** The database's name and its servers, for messages; contains no password. */
  get place(): string {
    const clients = this.#addresses.map((host) => new DatabaseClient({ ...this.#config('start'), ...host }));
    return `the database ${clients[0]?.database ?? ''} at ${clients.map(({ host, port }) => `${host}:${port}`).join(', ')}`;
  }

  /** The same in one word: `leases@db.example.org`. */
  get shortName(): string {
    const clients = this.#addresses.map((host) => new DatabaseClient({ ...this.#config('start'), ...host }));
    return `${clients[0]?.database ?? ''}@${clients.map(({ host }) => host).join(',')}`;
  }

  /** How long the writing session may be silent: longer than its statements may take, since the server cancels those itself. */
  get writeSilenceMs(): number {
    return this.#limits('writes').silenceMs;
  }

  /** Of all pools: what waits for the history waits as well. */
  get connections(): PoolStatistics {
    const sum = { open: 0, idle: 0, waiting: 0 };
    for (const { statistics } of Object.values(this.#pools)) {
      sum.open += statistics.open;
      sum.idle += statistics.idle;
      sum.waiting += statistics.waiting;
    }
    return sum;
  }

  /** False behind a pooler that may give each transaction another session: then LISTEN is not possible. */
  get keepsSessions(): boolean {
    return this.options.pooling !== 'transaction';
  }

  /** For Kysely's dialect. */
  connectForReads(): Promise<pg.PoolClient> {
    return this.#pools.reads.connect();
  }

  /** The current state of each host in the URL. */
  lookAtHosts(): Promise<FoundHost[]> {
    return this.#hosts.look();
  }

  /** Destroys all connections for reads, the feed and history, because new ones may lead elsewhere. Queries in progress are rejected. */
  dropReads(): void {
    for (const pool of Object.values(this.#pools)) pool.destroyAll();
  }

  /** Opens a dedicated connection, which the caller must end. Without one for writes nobody is served. Rejects with pg's error. */
  async connect(purpose: ConnectionPurpose): Promise<pg.Client> {
    return makingRoom(
      () => this.#makeRoom(purpose),
      () => this.#hosts.reach(() => this.#open(purpose)),
    );
  }

  /**
   * Runs a statement on a pooled connection. Rejects with StorageError Unavailable if the database fails; of history also with TooManyReads; of states,
   * if a durable statement may have been committed, with OutcomeUnknown.
   */
  query<Row, Values extends readonly unknown[]>(
    statement: Statement<Row, Values>,
    values: NoInfer<Values>,
    { purpose = 'reads', isDurable = false, flushes = false }: QueryOptions = {},
  ): Promise<Row[]> {
    const pool = this.#pools[purpose];
    if (purpose === 'history' && pool.statistics.waiting >= MAX_HISTORY_READS) return Promise.reject(tooManyReads());
    const rows = flushes
      ? this.#queryFlushed(pool, statement, values)
      : isDurable
        ? this.#queryDurably(pool, statement, values, purpose)
        : this.#query(pool, statement, values);
    return purpose === 'history' ? rows.catch(refuseBusy) : rows;
  }

  /** Opens a connection that is needed soon. If it cannot, whoever needs the connection tries again and hears why. */
  async warmUp(purpose: PooledPurpose): Promise<void> {
    await this.#pools[purpose].connect().then(
      (client) => client.release(),
      (err: unknown) => this.#logger.debug({ err, purpose }, 'a connection could not be opened ahead'),
    );
  }

  /** Runs `work` on the connection that reads changes, in a transaction with one snapshot. */
  async inSnapshot<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#pools.feed.connect().catch((error: unknown) => {
      throw toStorageError(error);
    });
    try {
      await client.query('begin isolation level repeatable read read only');
      const result = await work(client);
      await sendQuery(client, { text: 'commit' });
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw toStorageError(error);
    }
  }

  /** Sends a statement within a tracing span. */
  traced<T>({ name, text }: Statement, send: () => Promise<T>): Promise<T> {
    const { tracing } = this.options;
    if (!tracing) return send();
    return tracing.step(`SQL ${name}`, { 'db.system.name': 'postgresql', 'db.query.text': text.trim() }, send);
  }

  prepared({ name, text }: Statement, values: readonly unknown[]): pg.QueryConfig {
    return { name, text, values: values as unknown[] };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map((pool) => pool.end()));
  }

  async #open(purpose: ConnectionPurpose): Promise<pg.Client> {
    const client = new DatabaseClient({ ...this.#config(purpose), ...this.#hosts.current });
    client.on('error', (err) => this.#logger.debug({ err, purpose }, 'database connection failed'));
    await client.connect();
    try {
      const limits = this.#limits(purpose);
      // Initializing a session is as fast as a read, whatever its later statements may take.
      const unwatch = watchSilence(client, purpose === 'writes' ? this.#limits('reads').silenceMs : limits.silenceMs);
      await refuseStrayAnswers(client);
      // The checks at start find out whether the settings exist.
      if (purpose !== 'start') await this.#prepareSession(client, limits);
      if (purpose === 'writes' || purpose === 'notifications') await this.#showThatItServes(client);
      if (purpose === 'notifications') this.#listening.add(client.on('end', () => this.#listening.delete(client)));
      // From here on, the writer watches its connection itself.
      if (purpose === 'writes') unwatch();
      return client;
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  /** Ends idle connections of lesser use. Changes are asked for where no notification comes; only the writer keeps its place. */
  async #makeRoom(purpose: ConnectionPurpose): Promise<boolean> {
    if (!['writes', 'lineage', 'feed', 'reads'].includes(purpose)) return false;
    for (const pool of Object.values(this.#pools)) if (await pool.endIdle()) return true;
    const listening = [...this.#listening];
    await Promise.all(listening.map((client) => client.end()));
    return listening.length > 0;
  }

  #config(purpose: ConnectionPurpose): pg.ClientConfig {
    return {
      application_name: `coordination-apiserver ${purpose}`,
      connectionTimeoutMillis: this.options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      pipeline: !this.keepsSessions,
      types,
      ...(this.options.passwordFile ? { password: passwordFrom(this.options.passwordFile) } : {}),
    };
  }

  #pool(purpose: PooledPurpose, max: number): ConnectionPool {
    const limits = this.#limits(purpose);
    const prepare = async (client: pg.ClientBase) => {
      await refuseStrayAnswers(client);
      await this.#prepareSession(client, limits);
    };
    const hosts = this.#hosts;
    return new ConnectionPool({
      hosts,
      config: this.#config(purpose),
      max,
      silenceMs: limits.silenceMs,
      prepare,
      logger: this.#logger,
      makeRoom: () => this.#makeRoom(purpose),
    });
  }

  #limits(purpose: ConnectionPurpose): TimeLimits {
    const readMs = this.options.readTimeoutMs ?? DEFAULT_READ_TIMEOUT_MS;
    if (['writes', 'history', 'states'].includes(purpose)) return { statementMs: WRITE_MS, silenceMs: WRITE_MS + SILENCE_MARGIN_MS };
    const maintenance = { statementMs: MAINTENANCE_MS, silenceMs: MAINTENANCE_MS + SILENCE_MARGIN_MS };
    if (purpose === 'maintenance') return { ...maintenance, lockMs: MAINTENANCE_LOCK_MS };
    if (purpose === 'command') return maintenance;
    return { statementMs: readMs, silenceMs: readMs };
  }

  async #query<Row>(pool: ConnectionPool, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const send = async () => (await this.traced(statement, () => pool.query(this.prepared(statement, values)))).rows as Row[];
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SilenceError)) throw toStorageError(error);
    }
    // On a new connection: the silent one has taken the idle ones with it, which the pool notices within this turn.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      return await send();
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** In one transaction, hence one session: had PostgreSQL crashed in between, what it read might be gone. */
  async #queryFlushed<Row>(pool: ConnectionPool, statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const client = await pool.connect().catch((error: unknown) => {
      throw toStorageError(error);
    });
    try {
      await client.query('begin');
      const { rows } = await client.query(this.prepared(statement, values));
      await flushWithCommit(client);
      await sendQuery(client, { text: 'commit' });
      client.release();
      return rows as Row[];
    } catch (error) {
      client.release(true);
      throw toStorageError(error);
    }
  }

  async #queryDurably<Row>(
    pool: ConnectionPool,
    statement: Statement<Row>,
    values: readonly unknown[],
    purpose: PooledPurpose,
  ): Promise<Row[]> {
    const client = await pool.connect().catch((error: unknown) => {
      throw toStorageError(error);
    });
    try {
      const { rows } = await sendQuery<pg.QueryResult>(client, this.prepared(statement, values));
      client.release();
      return rows as Row[];
    } catch (error) {
      client.release(true);
      throw purpose === 'states' ? unclearOutcome(error) : toStorageError(error);
    }
  }

  async #prepareSession(client: pg.ClientBase, limits: TimeLimits): Promise<void> {
    watchReplication(client);
    const { standby = false, installation } = this.options;
    let transaction = transactionSettings(limits, undefined);
    if (!this.keepsSessions) eachInTransaction(client, () => transaction);
    const schema = (this.#schema ??= await locateSchema(client, this.options.schema));
    transaction = transactionSettings(limits, schema);
    if (this.keepsSessions) await client.query(sessionSettings(limits, schema));
    this.#mayIdentify ??= await mayIdentify(client);
    const { rows } = await client.query<SessionFacts>(sessionFacts(this.#mayIdentify, installation !== undefined));
    if (!standby) refuseReadOnly(rows[0]);
    this.#refuseOtherCluster(rows[0]?.system_identifier ?? undefined);
    if (installation !== undefined) this.refuseOther(rows[0]?.installation ?? null);
  }

  /** Throws if another installation than the one that this process serves has taken its place, as where schemas were renamed. */
  refuseOther(found: string | null): void {
    const { installation } = this.options;
    if (installation === undefined || found === installation) return;
    // Their plans follow the names of schemas.
    this.dropReads();
    throw new Error(`the schema ${this.schema} has become another installation: rename the one of before back, or restart the server`);
  }

  /** Behind a pooler, the session belongs to nobody. */
  async #showThatItServes(client: pg.ClientBase): Promise<void> {
    if (this.keepsSessions) await runStatement(client, SHOW_SERVING, []);
  }

  #refuseOtherCluster(identifier: string | undefined): void {
    this.#systemIdentifier ??= identifier;
    if (identifier === undefined || identifier === this.#systemIdentifier) return;
    this.#logger.error({ expected: this.#systemIdentifier, found: identifier }, 'refused a connection to another database cluster');
    throw new Error('the connection leads to another database cluster than before; restart the server to use that one');
  }
}

function refuseBusy(error: unknown): never {
  throw error instanceof StorageError && error.cause instanceof PoolIsBusy ? tooManyReads(error) : error;
}

function tooManyReads(cause?: Error): StorageError {
  return new StorageError('TooManyReads', 'too many reads of earlier revisions or of terms are waiting', { cause });
}

function unclearOutcome(error: unknown): StorageError {
  if (!isUnclear(error)) return toStorageError(error);
  return new StorageError('OutcomeUnknown', 'the database has not confirmed the write', { cause: error });
}

/** Applies to reads too: a standby may be behind, and while a primary is kept read-only, another one may still accept writes. */
function refuseReadOnly(facts: SessionFacts | undefined): void {
  if (facts?.in_recovery) throw new Error('the connection leads to a standby: the server needs the primary');
  if (facts?.read_only) throw new Error('the connection leads to a read-only session: default_transaction_read_only is on');
}

/** Managed services may withhold the function that identifies the cluster. */
async function mayIdentify(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(`select has_function_privilege('pg_control_system()', 'execute') as may`);
  return rows[0]?.may === true;
}
