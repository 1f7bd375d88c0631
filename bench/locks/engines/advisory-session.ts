import type pg from 'pg';
import type { LockSession } from '../lock-engine.js';

/** Advisory locks of PostgreSQL: held by the session, so they have nothing to renew and do not work through a pooler. */
export class AdvisorySession implements LockSession {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  acquire(lock: string): Promise<boolean> {
    return this.#ask('acquire', 'select pg_try_advisory_lock(hashtextextended($1, 0)) as done', lock);
  }

  release(lock: string): Promise<boolean> {
    return this.#ask('release', 'select pg_advisory_unlock(hashtextextended($1, 0)) as done', lock);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #ask(name: string, text: string, lock: string): Promise<boolean> {
    return (await this.#client.query<{ done: boolean }>({ name, text, values: [lock] })).rows[0]?.done === true;
  }
}
