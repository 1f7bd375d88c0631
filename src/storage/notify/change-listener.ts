import type { Logger } from 'pino';
import pg from 'pg';
import { Backoff } from '../database/backoff.js';
import type { Database } from '../database/database.js';
import { ConnectionLost, toStorageError } from '../database/session/pg-errors.js';
import { destroyClient } from '../database/session/silence.js';
import type { Scheduler } from '../scheduler.js';

const HEARTBEAT_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 5_000;

/** What to listen to, and whom to call. */
export interface ChangeListenerOptions {
  readonly channel: string;
  readonly wake: () => void;
  /** Whether a notification comes from this process's own writing session and can be ignored. */
  readonly isOwn: (processId: number) => boolean;
}

/**
 * Listens for notifications of commits on its own connection.
 *
 *     connecting ── connected ──► listening (wakes once: missed changes are read first)
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
      client.on('notification', ({ processId }) => void (this.#options.isOwn(processId) || this.#options.wake()));
      await client.query(`listen ${pg.escapeIdentifier(this.#options.channel)}`);
      this.#client = client;
      this.#backoff.reset();
      this.#options.wake();
      this.#beatLater();
    } catch (err) {
      this.#logger.warn({ err: toStorageError(err) }, 'cannot listen for changes: polling');
      client?.end().catch(() => undefined);
      this.#reconnectLater();
    }
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
    if (this.#stopped) return;
    this.#cancelTimer = this.#scheduler.after(this.#backoff.next(), () => this.start());
  }

  #beatLater(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.#scheduler.after(HEARTBEAT_MS, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    const cancel = this.#scheduler.after(HEARTBEAT_TIMEOUT_MS, () => destroyClient(client));
    try {
      await client.query('select 1');
      if (client === this.#client) this.#beatLater();
    } catch {
      destroyClient(client);
    } finally {
      cancel();
    }
  }
}
