import type pg from 'pg';

/** Writes that one lease's table has accepted. */
export interface Accepted {
  readonly count: number;
  /** Those after one with a greater token. */
  readonly stale: number;
  /** The tokens and who wrote under them. */
  readonly tokens: readonly { readonly token: bigint; readonly writer: string }[];
}

export const tableOf = (lease: string): string => `public.fenced_${lease.replaceAll('-', '_')}`;

/**
 * A table under each lease, by the trigger of docs/sql.md alone. `position` is given when the fence has been passed: transactions of a newer
 * token get theirs after those of older ones have ended.
 */
export async function createFencedTables(database: pg.Pool, leases: readonly string[]): Promise<void> {
  await database.query(`create sequence public.race_position;
    create function public.take_position() returns trigger language plpgsql as
    $$ begin new.position := nextval('public.race_position'); return new; end $$`);
  for (const lease of leases) {
    // triggers fire in the order of their names
    await database.query(`create table ${tableOf(lease)} (position bigint not null, token bigint not null, writer text not null);
      create trigger a_fence before insert or update or delete on ${tableOf(lease)}
      for each row execute function coordination.fence('default/${lease}');
      create trigger b_position before insert on ${tableOf(lease)} for each row execute function public.take_position()`);
  }
}

/** Which of these positions have no row in the tables of the leases. */
export async function missingRows(database: pg.Pool, leases: readonly string[], positions: readonly bigint[]): Promise<string[]> {
  const written = leases.map((lease) => `select position from ${tableOf(lease)}`).join(' union all ');
  const { rows } = await database.query<{ position: string }>(
    `select position::text from (select unnest($1::bigint[]) as position except (${written})) as missing order by missing.position`,
    [positions.map(String)],
  );
  return rows.map(({ position }) => position);
}

export async function acceptedOf(database: pg.Pool, lease: string): Promise<Accepted> {
  const { rows } = await database.query<{ count: number; stale: number }>(
    `select count(*)::int as count, count(*) filter (where token < greatest)::int as stale
     from (select token, max(token) over (order by position) as greatest from ${tableOf(lease)}) as written`,
  );
  const tokens = await database.query<{ token: string; writer: string }>(`select distinct token::text, writer from ${tableOf(lease)}`);
  const [row] = rows;
  return {
    count: row?.count ?? 0,
    stale: row?.stale ?? 0,
    tokens: tokens.rows.map(({ token, writer }) => ({ token: BigInt(token), writer })),
  };
}
