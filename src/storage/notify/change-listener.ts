import type { Logger } from 'pino';
import pg from 'pg';
import { Backoff } from '../../time/backoff.js';
import type { Database } from '../database/database.js';
import { ConnectionLost, toStorageError } from '../database/session/pg-errors.js';
import { destroyClient } from '../database/session/silence.js';
import { sqlStatement } from '../database/statement/statement.js';
import type { Scheduler } from '../../time/scheduler.js';

const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;
/** After this time, every other server has heard that this one listens, and the commits that it sent before are done. */
const SETTLE_MS = 1_000;

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
 * Listens for notifications of commits on its own connection, and knows whether others do. Each notifies the others when it begins; one that
 * has gone is missed at a heartbeat. So a server that is alone can commit without notifications.
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
  #cancelTimer: () => void = () => undefined;
  #connecting: Promise<void> | undefined;
  #stopped = false;
  /** Notifications of others since this process started. */
  #heard = 0;
  #isAlone = false;

  constructor(database: Database, options: ChangeListenerOptions, scheduler: Scheduler, logger: Logger) {
    this.#database = database;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#logger = logger;
  }

  /** Whether notifications currently arrive. */
  get listening(): boolean {
    return this.#client !== undefined;
  }

  /** Whether certainly nobody else listens. */
  get isAlone(): boolean {
    return this.listening && this.#isAlone;
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

  /** Behind a pooler, a session is reset for its next client: a notification must not arrive meanwhile (session/stray-answer.ts). */
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
      client.on('notification', ({ processId }) => void (processId === own || this.#options.isOwn(processId) || this.#hear()));
      const channel = pg.escapeIdentifier(this.#options.channel);
      await client.query(`listen ${channel}`);
      await client.query(`notify ${channel}`);
      this.#isAlone = false;
      this.#client = client;
      this.#backoff.reset();
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

  async #beat(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const cancel = this.#scheduler.after(HEARTBEAT_TIMEOUT_MS, () => destroyClient(client));
    try {
      const heard = this.#heard;
      const { rows } = await client.query<[number | null]>({ ...this.#database.prepared(COUNT_LISTENERS, []), rowMode: 'array' });
      if (client !== this.#client) return;
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
