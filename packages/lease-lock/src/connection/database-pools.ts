import type { Pool, PoolConfig } from 'pg';
import { LockError } from '../lock-error.js';
import type { Queryable } from '../database/queryable.js';

/** Longer than any request waits: what is left then is a connection that has died silently. */
const SILENCE = 6_000;
/** A renewal that follows one without an answer needs a connection of its own. */
const CONNECTIONS = 4;

// eslint-disable-next-line security/detect-unsafe-regex -- the configuration is its author's
const URL_PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** A pool for each host of a URL; after a failure the next one is asked. Only a primary writes leases. */
export class DatabasePools implements Queryable {
  readonly #pools: readonly Pool[];
  #current = 0;

  private constructor(pools: readonly Pool[]) {
    this.#pools = pools;
  }

  /** Connects with the first statement. What the URL does not say, the variables and files of libpq do. */
  static async open(url: string): Promise<DatabasePools> {
    const urls = urlsOf(url);
    const { default: pg } = await import('pg').catch((error: Error) => {
      throw new LockError('configuration', `--database-url needs the npm package pg: ${error.message.split('\n')[0] ?? ''}`);
    });
    return new DatabasePools(
      urls.map((connectionString) => {
        const pool = new pg.Pool({ ...CONFIG, connectionString });
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

/** Node accepts no URL with several hosts; and in every mode that asks for a certificate it has to be valid, as for the server. */
function urlsOf(url: string): string[] {
  const strict = url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
  const [, scheme = '', user = '', hosts = '', rest = ''] = URL_PARTS.exec(strict) ?? [];
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`);
  // The message does not repeat the URL, which may have a password.
  if (scheme === '' || !urls.every(isUrl)) {
    throw new LockError('configuration', '--database-url must look like postgresql://user@host:5432/name');
  }
  return urls;
}

/** Node does not accept a percent-encoded directory in place of the host; PostgreSQL does. */
function isUrl(url: string): boolean {
  return URL.canParse(url) || URL.canParse(url.replace(/@%2f[^:/?]*/i, '@socket'));
}

/** Not of the statement: no connection, a server that starts or stops, or a standby. */
function isOfHost(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return severity === undefined || (typeof code === 'string' && (/^(08|57P)/.test(code) || code === '25006'));
}
