import type { LockSession } from '../lock-engine.js';
import { TTL_SECONDS } from '../lock-load.js';
import type { RedisConnection } from './redis-connection.js';

const TTL_MS = String(TTL_SECONDS * 1000);
/** Only the holder may renew or release: a key that has expired may be another's by now. */
const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`;
const RELEASE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`;

/** SET NX PX with a value that only the holder knows, as Redis recommends for one instance. It has no fencing token. */
export class RedisSession implements LockSession {
  readonly #connection: RedisConnection;
  readonly #holder: string;

  constructor(connection: RedisConnection, holder: string) {
    this.#connection = connection;
    this.#holder = holder;
  }

  async acquire(lock: string): Promise<boolean> {
    return (await this.#connection.command('SET', lock, this.#holder, 'NX', 'PX', TTL_MS)) === 'OK';
  }

  readonly renew = async (lock: string): Promise<boolean> =>
    (await this.#connection.command('EVAL', RENEW, '1', lock, this.#holder, TTL_MS)) === 1;

  async release(lock: string): Promise<boolean> {
    return (await this.#connection.command('EVAL', RELEASE, '1', lock, this.#holder)) === 1;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
