import type { Pool, PoolConfig } from 'pg';
import { checkUrl } from '../../../../src/storage/database/hosts/check-url.js';
import { type DatabaseHost, databaseHosts } from '../../../../src/storage/database/hosts/database-hosts.js';
import { LockError } from '../lock-options.js';
import type { Queryable } from '../database/lease-procedures.js';

/** Longer than any request waits: what is left then is a connection that has died silently. */
const SILENCE = 6_000;
/** A renewal that follows one without an answer needs a connection of its own. */
const CONNECTIONS = 4;

/** A pool for each host of a URL; after a failure the next one is asked. Only a primary writes leases. */
export class DatabasePools implements Queryable {
  readonly #pools: readonly Pool[];
  #current = 0;

  private constructor(pools: readonly Pool[]) {
    this.#pools = pools;
  }

  /** Connects with the first statement. What the URL does not say, the variables and files of libpq do. */
  static async open(url: string): Promise<DatabasePools> {
    const hosts = hostsOf(url);
    const { default: pg } = await import('pg').catch((error: Error) => {
      throw new LockError('configuration', `--database-url needs the npm package pg: ${error.message.split('\n')[0] ?? ''}`);
    });
    return new DatabasePools(
      hosts.map((host) => {
        const pool = new pg.Pool({ ...CONFIG, ...host });
        pool.on('error', () => undefined); // of a connection that nobody uses: the next statement opens another
        return pool;
      }),
    );
  }

  async query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    for (let others = this.#pools.length - 1; ; others--) {
      const pool = this.#pools[this.#current] as Pool;
      try {
        return await pool.query<Record<string, unknown>>(text, values);
      } catch (error) {
        if (!isOfHost(error)) throw error;
        this.#current = (this.#pools.indexOf(pool) + 1) % this.#pools.length;
        if (others === 0) throw error;
      }
    }
  }
}

const CONFIG: PoolConfig = {
  application_name: 'lease-lock',
  max: CONNECTIONS,
  keepAlive: true,
  connectionTimeoutMillis: SILENCE,
  query_timeout: SILENCE,
};

function hostsOf(url: string): DatabaseHost[] {
  try {
    checkUrl(url);
    return databaseHosts(url);
  } catch (error) {
    throw new LockError('configuration', `--database-url: ${(error as Error).message}`);
  }
}

/** Whether the host failed and not the statement: no connection, a server that starts or stops, or a standby. */
function isOfHost(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity === undefined || (typeof code === 'string' && (/^(08|57P)/.test(code) || code === '25006'));
}
