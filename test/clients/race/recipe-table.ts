import pg from 'pg';

const SCHEMA = `
  create table if not exists fence (name text primary key, token bigint not null);
  create table if not exists accepted (position bigserial primary key, name text not null, token bigint not null, writer text not null);
  create table if not exists refused (name text not null, token bigint not null, writer text not null);
`;

/** The recipe: the fence's row is raised and locked first, and the write succeeds only if that does. */
const WRITE = `
  with fence as (
    insert into fence (name, token) values ($1, $2)
    on conflict (name) do update set token = excluded.token where fence.token <= excluded.token
    returning token
  )
  insert into accepted (name, token, writer) select $1, token, $3 from fence returning position
`;

export interface WriteFigures {
  readonly accepted: number;
  readonly refused: number;
  /** Writes accepted although a greater token of the same lease had been accepted before. */
  readonly staleAccepted: number;
}

/** Storage with several writers that each believe to be the leader, fenced by the recipe in the README of packages/leader-election alone. */
export class RecipeTable {
  readonly #pool: pg.Pool;

  constructor(databaseUrl: string) {
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    this.#pool.on('error', () => undefined); // an idle connection that breaks: the next write fails with the error
  }

  async create(): Promise<void> {
    await this.#pool.query(SCHEMA);
  }

  /** Whether the write was accepted. */
  async write(lease: string, token: bigint, writer: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query(WRITE, [lease, token, writer]);
    if (!rowCount) await this.#pool.query('insert into refused (name, token, writer) values ($1, $2, $3)', [lease, token, writer]);
    return rowCount === 1;
  }

  async figures(): Promise<WriteFigures> {
    const { rows } = await this.#pool.query<{ accepted: number; refused: number; stale: number }>(`
      select (select count(*)::int from accepted) as accepted, (select count(*)::int from refused) as refused,
             (select count(*)::int
              from (select token, max(token) over (partition by name order by position) as greatest from accepted) t
              where token < greatest) as stale`);
    const { accepted = 0, refused = 0, stale = 0 } = rows[0] ?? {};
    return { accepted, refused, staleAccepted: stale };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
