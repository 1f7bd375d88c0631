import type { Logger } from 'pino';
import pg from 'pg';
import { Backoff } from '../../time/backoff.js';
import type { Database } from '../database/database.js';
import { ConnectionLost, destroyClient, toStorageError } from '../database/session/pg-errors.js';
import { sqlStatement } from '../database/statement/statement.js';
import type { Scheduler } from '../../time/scheduler.js';

const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** How long nothing is announced after that has failed, as it does while the queue of notifications is full. */
const QUIET_MS = 10_000;
/** After this time, every other server has heard that this one listens, and the commits that it sent before are done. */
const SETTLE_MS = 1_000;

/** What each session also listens to, alone: it notifies itself at each heartbeat. Where that does not arrive, nothing else does. */
const ECHO = 'coordination_echo_';

/**
 * Other sessions that listen in this database, for whichever schema. A pooler may add to their names; where it drops them, so that this session is
 * not found either, nobody knows.
 */
const COUNT_LISTENERS = sqlStatement<[number | null], readonly []>(
  'count_listeners',
  `
  select case when bool_or(pid = pg_backend_pid()) then count(*)::int - 1 end from pg_stat_activity
  where datname = current_database() and application_name like 'coordination-apiserver notifications%'`,
);

/** What to listen to, and whom to call. */
export interface ChangeListenerOptions {
  readonly channel: string;
  readonly wake: () => void;
  /** Whether a notification comes from this process's own writing session and can be ignored. */
  readonly isOwn: (processId: number) => boolean;
}

/**
 * Listens for notifications of commits on its own connection, announces those of this process over it, and knows whether others listen. Each
 * notifies the others when it begins; one that has gone is missed at a heartbeat. So a server that is alone announces nothing.
 *
 *     connecting ── connected ──► listening (wakes: missed changes are read first, and again what others committed before they knew)
 *         ▲                          │ notification: wakes
 *         │                          │ heartbeat unanswered, connection ended
 *         └──── back-off with jitter ┘
 */
export class ChangeListener {
  readonly #database: Database;
  readonly #options: ChangeListenerOptions;
  readonly #scheduler: Scheduler;
  readonly #logger: Logger;
  readonly #backoff = new Backoff(100, 10_000);
  #client: pg.Client | undefined;
  /** The connection's channel for itself, and how many notifications came there. */
  #echo = { channel: '', count: 0 };
  /** Whether the latest heartbeat heard itself. */
  #hears = false;
  #cancelTimer: () => void = () => undefined;
  #connecting: Promise<void> | undefined;
  #stopped = false;
  /** Notifications of others since this process started. */
  #heard = 0;
  #isAlone = false;
  #isAnnouncing = false;
  /** Whether something was committed since the announcement under way was sent. */
  #isStale = false;
  #quietUntil = -Infinity;

  constructor(database: Database, options: ChangeListenerOptions, scheduler: Scheduler, logger: Logger) {
    this.#database = database;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#logger = logger;
  }

  /** Whether notifications arrive, as the latest heartbeat has heard: having asked for them proves nothing beyond a pooler or a proxy. */
  get listening(): boolean {
    return this.#client !== undefined && this.#hears;
  }

  /** Whether certainly nobody else listens. */
  get isAlone(): boolean {
    return this.listening && this.#isAlone;
  }

  /**
   * Tells others that this process has committed something; many commits at once. By a session that holds nothing: a commit that notifies takes a lock that
   * all such commits of PostgreSQL share, those of other programs included, and batches would wait for it with the revision counter locked. What cannot be
   * announced is found by polling.
   */
  announce(): void {
    const client = this.#client;
    if (!client || this.#isAlone || this.#scheduler.now() < this.#quietUntil) return;
    if (this.#isAnnouncing) return void (this.#isStale = true);
    this.#isAnnouncing = true;
    client
      .query(`notify ${pg.escapeIdentifier(this.#options.channel)}`)
      .catch((err: unknown) => {
        this.#quietUntil = this.#scheduler.now() + QUIET_MS;
        this.#logger.warn(
          { err: toStorageError(err) },
          `commits cannot be announced: other servers find them by polling for ${QUIET_MS} ms`,
        );
      })
      .finally(() => {
        this.#isAnnouncing = false;
        if (!this.#isStale) return;
        this.#isStale = false;
        this.announce();
      });
  }

  start(): void {
    this.#connecting = this.#connect();
  }

  /** Ends the connection, because a new one may lead elsewhere, and connects again. */
  reconnect(): void {
    if (this.#client) destroyClient(this.#client);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#connecting;
    const client = this.#client;
    this.#client = undefined;
    if (client) await this.#leave(client);
  }

  /** Behind a pooler, a session is reset for its next client: a notification must not arrive meanwhile (session/database-client.ts). */
  async #leave(client: pg.Client): Promise<void> {
    const cancel = this.#scheduler.after(HEARTBEAT_TIMEOUT_MS, () => destroyClient(client));
    try {
      await client.query('unlisten *');
      await client.end();
    } catch {
      destroyClient(client);
    } finally {
      cancel();
    }
  }

  async #connect(): Promise<void> {
    let client: pg.Client | undefined;
    try {
      client = await this.#database.connect('notifications');
      client.once('end', () => this.#lost(client));
      client.once('error', () => this.#lost(client));
      const own = (client as { processID?: number }).processID;
      const echo = { channel: `${ECHO}${Math.random().toString(36).slice(2)}`, count: 0 };
      client.on('notification', ({ channel, processId }) => {
        if (channel === echo.channel) echo.count += 1;
        else if (processId !== own && !this.#options.isOwn(processId)) this.#hear();
      });
      const listened = [this.#options.channel, echo.channel].map((each) => pg.escapeIdentifier(each));
      for (const each of listened) await client.query(`listen ${each}`);
      for (const each of listened) await client.query(`notify ${each}`);
      this.#isAlone = false;
      this.#client = client;
      this.#echo = echo;
      this.#hears = echo.count > 0;
      this.#options.wake();
      this.#later(SETTLE_MS, () => {
        this.#options.wake();
        void this.#beat();
      });
    } catch (err) {
      this.#logger.warn({ err: toStorageError(err) }, 'cannot listen for changes; polling instead');
      client?.end().catch(() => undefined);
      this.#reconnectLater();
    }
  }

  #hear(): void {
    this.#heard++;
    this.#isAlone = false;
    this.#options.wake();
  }

  #lost(client: pg.Client | undefined): void {
    if (client !== this.#client || client === undefined) return;
    this.#client = undefined;
    this.#cancelTimer();
    if (this.#stopped) return;
    this.#logger.warn(
      { err: new ConnectionLost('the connection that listens for changes was closed') },
      'lost the connection that listens for changes',
    );
    this.#reconnectLater();
  }

  #reconnectLater(): void {
    this.#later(this.#backoff.next(), () => this.start());
  }

  #later(ms: number, then: () => void): void {
    if (!this.#stopped) this.#cancelTimer = this.#scheduler.after(ms, then);
  }

  /** A session that heard itself before reconnects, since it may have lost its LISTEN. Where no session ever hears, reconnecting would not help. */
  #echoed(client: pg.Client, hears: boolean): void {
    if (hears) this.#backoff.reset();
    else this.#logger.warn('notifications of commits do not arrive, though the database answers; polling instead');
    if (this.#hears && !hears) destroyClient(client);
    this.#hears = hears;
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const cancel = this.#scheduler.after(HEARTBEAT_TIMEOUT_MS, () => destroyClient(client));
    try {
      const heard = this.#heard;
      const echo = this.#echo;
      const before = echo.count;
      await client.query(`notify ${pg.escapeIdentifier(echo.channel)}`);
      const { rows } = await client.query<[number | null]>({ ...this.#database.prepared(COUNT_LISTENERS, []), rowMode: 'array' });
      if (client !== this.#client) return;
      this.#echoed(client, echo.count > before);
      // Who began to listen since the rows were read has been heard.
      this.#isAlone = rows[0]?.[0] === 0 && heard === this.#heard;
      this.#later(HEARTBEAT_MS, () => void this.#beat());
    } catch {
      destroyClient(client);
    } finally {
      cancel();
    }
  }
}
