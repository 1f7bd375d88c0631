import pg from 'pg';
import type { DatabaseHost } from './database-hosts.js';
import { DatabaseClient, StrayAnswer, refuseStrayAnswers } from '../session/database-client.js';
import { DEFAULT_CONNECT_TIMEOUT_MS } from '../session/database-options.js';
import { PoolIsBusy, sqlState, watchSilence } from '../session/pg-errors.js';

/** The state of one host. */
export interface FoundHost {
  readonly host: DatabaseHost;
  readonly address: string;
  readonly state: 'primary' | 'standby' | 'unreachable';
  readonly error?: Error;
}

const IS_STANDBY = 'select pg_is_in_recovery() as standby';

/**
 * Finds the primary among several hosts. A single host is not asked. With more, all are asked at once, and the first in the list that is a
 * primary is used, so that servers agree even if two hosts accept writes. They are asked again after a connection failed or led to a
 * standby.
 */
export class PrimaryFinder {
  readonly #hosts: readonly DatabaseHost[];
  readonly #config: () => pg.ClientConfig;
  readonly #standby: boolean;
  #current: DatabaseHost;
  #known: boolean;
  #finding: Promise<void> | undefined;

  /** `config` contains everything but the host. `standby`: a standby is acceptable if there is no primary. */
  constructor(hosts: readonly DatabaseHost[], config: () => pg.ClientConfig, standby: boolean) {
    this.#hosts = hosts;
    this.#config = config;
    this.#standby = standby;
    this.#current = hosts[0] ?? {};
    this.#known = hosts.length === 1;
  }

  /** The host of the next connection. */
  get current(): DatabaseHost {
    return this.#current;
  }

  /**
   * Opens a connection with `open`; retries once if that fails and the primary is then found, there or elsewhere, or if the pooler handed
   * over a session that was not ready.
   */
  async reach<T>(open: () => Promise<T>): Promise<T> {
    if (!this.#known) await this.#find();
    try {
      return await open();
    } catch (error) {
      if (error instanceof StrayAnswer) return open();
      if (this.#hosts.length === 1 || isFinal(error)) throw error;
      await this.#find();
      return open();
    }
  }

  /** Asks every host for its state. */
  look(): Promise<FoundHost[]> {
    return Promise.all(this.#hosts.map((host) => this.#ask(host)));
  }

  #find(): Promise<void> {
    return (this.#finding ??= this.#choose().finally(() => (this.#finding = undefined)));
  }

  async #choose(): Promise<void> {
    this.#known = false;
    const found = await this.look();
    const chosen =
      found.find(({ state }) => state === 'primary') ?? (this.#standby ? found.find(({ state }) => state === 'standby') : undefined);
    if (!chosen) throw noPrimary(found);
    this.#current = chosen.host;
    this.#known = true;
  }

  async #ask(host: DatabaseHost): Promise<FoundHost> {
    const config = this.#config();
    const client = new DatabaseClient({ ...config, ...host });
    const address = `${client.host}:${client.port}`;
    client.on('error', () => undefined);
    try {
      await client.connect();
      watchSilence(client, config.connectionTimeoutMillis ?? DEFAULT_CONNECT_TIMEOUT_MS);
      await refuseStrayAnswers(client);
      const { rows } = await client.query<{ standby: boolean }>(IS_STANDBY);
      return { host, address, state: rows[0]?.standby ? 'standby' : 'primary' };
    } catch (error) {
      return { host, address, state: 'unreachable', error: error as Error };
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/** An error such as a wrong password would recur; one from a server that is starting or stopping may not. A busy pool has its connections. */
function isFinal(error: unknown): boolean {
  if (error instanceof PoolIsBusy) return true;
  const state = sqlState(error);
  return state !== undefined && !state.startsWith('57P');
}

/**
 * The error of the first host if every host rejected the session, for instance because of a wrong password; otherwise a summary of all
 * hosts.
 */
function noPrimary(found: readonly FoundHost[]): Error {
  const refusal = found.find(({ error }) => error instanceof pg.DatabaseError)?.error;
  if (refusal && found.every(({ error }) => error instanceof pg.DatabaseError)) return refusal;
  return new Error(`no host is a primary: ${found.map(({ address, state, error }) => `${address} ${error?.message ?? state}`).join(', ')}`);
}
