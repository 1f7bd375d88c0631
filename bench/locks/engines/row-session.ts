import type pg from 'pg';
import type { LockSession } from '../lock-engine.js';
import { TTL_SECONDS } from '../lock-load.js';

/** The table that programs write by hand. */
export const ROW_TABLE = `create table lock_row (
  name    text primary key,
  holder  text,
  expires timestamptz not null,
  token   bigint not null
) with (fillfactor = 50)`;

const ACQUIRE = `insert into lock_row as held (name, holder, expires, token) values ($1, $2, now() + interval '${TTL_SECONDS} s', 1)
  on conflict (name) do update set holder = excluded.holder, expires = excluded.expires, token = held.token + 1
  where held.holder is null or held.expires <= now() or held.holder = excluded.holder
  returning token`;
const RENEW = `update lock_row set expires = now() + interval '${TTL_SECONDS} s' where name = $1 and holder = $2 and expires > now()`;
const RELEASE = 'update lock_row set holder = null where name = $1 and holder = $2';

/** A row for each lock, with its holder, its end and a token that rises. Nobody is told of changes, and there is no history. */
export class RowSession implements LockSession {
  readonly #client: pg.Client;
  readonly #holder: string;

  constructor(client: pg.Client, holder: string) {
    this.#client = client;
    this.#holder = holder;
  }

  acquire(lock: string): Promise<boolean> {
    return this.#write('acquire', ACQUIRE, lock);
  }

  readonly renew = (lock: string): Promise<boolean> => this.#write('renew', RENEW, lock);

  release(lock: string): Promise<boolean> {
    return this.#write('release', RELEASE, lock);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  async #write(name: string, text: string, lock: string): Promise<boolean> {
    return (await this.#client.query({ name, text, values: [lock, this.#holder] })).rowCount === 1;
  }
}
