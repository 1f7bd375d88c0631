import type pg from 'pg';
import type { Term } from './term-disagreements.js';

/** The recorded terms of a lease, in order; see docs/terms.md. */
export async function termsOf(database: pg.Pool, lease: string): Promise<Term[]> {
  const { rows } = await database.query<Omit<Term, 'token'> & { token: string }>(
    `select token::text, holder, began, until, reason from coordination.lease_terms
     where namespace = 'default' and lease = $1 order by lease_terms.token`,
    [lease],
  );
  return rows.map((row) => ({ ...row, token: BigInt(row.token) }));
}

/** Who holds which lease by its open term. */
export async function openHolders(database: pg.Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ lease: string; holder: string }>(
    `select lease, holder from coordination.lease_terms where namespace = 'default' and until is null`,
  );
  return new Map(rows.map(({ lease, holder }) => [lease, holder]));
}
