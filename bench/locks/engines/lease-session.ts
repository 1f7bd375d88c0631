import type pg from 'pg';
import type { LockSession } from '../lock-engine.js';
import { TTL_SECONDS } from '../lock-load.js';

/** The procedures of docs/sql.md. */
export class LeaseSession implements LockSession {
  readonly #client: pg.Client;
  readonly #holder: string;

  constructor(client: pg.Client, holder: string) {
    this.#client = client;
    this.#holder = holder;
  }

  acquire(lock: string): Promise<boolean> {
    return this.#call('acquire', 'call coordination.lease_acquire($1, $2, $3, $4)', [lock, this.#holder, `${TTL_SECONDS} s`], 'acquired');
  }

  readonly renew = (lock: string): Promise<boolean> =>
    this.#call('renew', 'call coordination.lease_renew($1, $2, $3)', [lock, this.#holder], 'renewed');

  release(lock: string): Promise<boolean> {
    return this.#call('release', 'call coordination.lease_release($1, $2, $3)', [lock, this.#holder], 'released');
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #call(name: string, text: string, values: string[], done: string): Promise<boolean> {
    const { rows } = await this.#client.query<Record<string, unknown>>({ name, text, values: ['default', ...values] });
    return rows[0]?.[done] === true;
  }
}
