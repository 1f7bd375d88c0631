import pg from 'pg';
import type { DatabaseHost } from './database-hosts.js';
import { DEFAULT_CONNECT_TIMEOUT_MS } from '../session/database-options.js';
import { sqlState } from '../session/pg-errors.js';
import { watchSilence } from '../session/silence.js';

/** What was found at a host. */
export interface FoundHost {
  readonly host: DatabaseHost;
  readonly address: string;
  readonly state: 'primary' | 'standby' | 'unreachable';
  readonly error?: Error;
}

const IS_STANDBY = 'select pg_is_in_recovery() as standby';

/**
 * Which of several hosts is the primary. With one host nothing is asked. With more, all are asked at once, and the first of the list that is
 * a primary is taken: so servers agree, even while two take writes. It is asked anew after a connection failed or led to a standby.
 */
export class PrimaryFinder {
  readonly #hosts: readonly DatabaseHost[];
  readonly #config: () => pg.ClientConfig;
  readonly #standby: boolean;
  #current: DatabaseHost;
  #known: boolean;
  #finding: Promise<void> | undefined;

  /** `config`: everything but the host. `standby`: whether one will do, where there is no primary. */
  constructor(hosts: readonly DatabaseHost[], config: () => pg.ClientConfig, standby: boolean) {
    this.#hosts = hosts;
    this.#config = config;
    this.#standby = standby;
    this.#current = hosts[0] ?? {};
    this.#known = hosts.length === 1;
  }

  /** What the next connection leads to. */
  get current(): DatabaseHost {
    return this.#current;
  }

  /** Opens a connection by way of `open`; once more, where that fails and the primary is found elsewhere or again. */
  async reach<T>(open: () => Promise<T>): Promise<T> {
    if (!this.#known) await this.#find();
    try {
      return await open();
    } catch (error) {
      if (this.#hosts.length === 1 || isFinal(error)) throw error;
      await this.#find();
      return open();
    }
  }

  /** Asks all hosts what they are. */
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
    const client = new pg.Client({ ...config, ...host });
    const address = `${client.host}:${client.port}`;
    client.on('error', () => undefined);
    try {
      await client.connect();
      watchSilence(client, config.connectionTimeoutMillis ?? DEFAULT_CONNECT_TIMEOUT_MS);
      const { rows } = await client.query<{ standby: boolean }>(IS_STANDBY);
      return { host, address, state: rows[0]?.standby ? 'standby' : 'primary' };
    } catch (error) {
      return { host, address, state: 'unreachable', error: error as Error };
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/** An answer such as that of a wrong password would come again; one of a server that starts or stops may not. */
function isFinal(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !state.startsWith('57P');
}

/** What all of them answer alike is the answer: a wrong password is one everywhere. */
function noPrimary(found: readonly FoundHost[]): Error {
  const refusal = found.find(({ error }) => error instanceof pg.DatabaseError)?.error;
  if (refusal && found.every(({ error }) => error instanceof pg.DatabaseError)) return refusal;
  return new Error(`no host is a primary: ${found.map(({ address, state, error }) => `${address} ${error?.message ?? state}`).join(', ')}`);
}
