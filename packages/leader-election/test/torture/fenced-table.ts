import pg from 'pg';

const SCHEMA = `
  create table if not exists fence (name text primary key, token bigint not null);
  create table if not exists accepted (position bigserial primary key, token bigint not null, writer text not null);
  create table if not exists refused (token bigint not null, writer text not null);
`;

/** The README's recipe: the fence's row is raised and locked first, and the write succeeds only if that does. */
const WRITE = `
  with fence as (
    insert into fence (name, token) values ('torture', $1)
    on conflict (name) do update set token = excluded.token where fence.token <= excluded.token
    returning token
  )
  insert into accepted (token, writer) select token, $2 from fence returning position
`;

export interface WriteFigures {
  readonly accepted: number;
  readonly refused: number;
  /** Writes accepted although a greater token had been accepted before. */
  readonly staleAccepted: number;
}

/** Storage with several writers that each believe to be the leader. */
export class FencedTable {
  readonly #pool: pg.Pool;

  constructor(databaseUrl: string) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    this.#pool.on('error', () => undefined); // an idle connection that breaks: the next write fails with the error
  }

  async create(): Promise<void> {
    await this.#pool.query(SCHEMA);
  }

  /** Whether the write was accepted. */
  async write(token: bigint, writer: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(WRITE, [token, writer]);
    if (!rowCount) await this.#pool.query('insert into refused (token, writer) values ($1, $2)', [token, writer]);
    return rowCount === 1;
  }

  async figures(): Promise<WriteFigures> {
    const { rows } = await this.#pool.query<{ accepted: number; refused: number; stale: number }>(`
      select (select count(*)::int from accepted) as accepted, (select count(*)::int from refused) as refused,
             (select count(*)::int from (select token, max(token) over (order by position) as greatest from accepted) t
              where token < greatest) as stale`);
    const { accepted = 0, refused = 0, stale = 0 } = rows[0] ?? {};
    return { accepted, refused, staleAccepted: stale };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
