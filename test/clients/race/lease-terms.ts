import type pg from 'pg';
import { ask } from '../../support/http-client.js';
import type { Term } from './term-disagreements.js';

const TERMS = '/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms';
const UTC = `at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

interface ServedTerm {
  readonly spec: { readonly holder: string; readonly fencingToken: string; readonly from: string };
  readonly status: { readonly until?: string; readonly reason?: string };
}

/** The recorded terms of a lease in SQL, in order; see docs/terms.md. */
export async function termsOf(database: pg.Pool, lease: string): Promise<Term[]> {
  const { rows } = await database.query<Omit<Term, 'token'> & { token: string }>(
    `select token::text, holder, to_char(began ${UTC}) as began, to_char(until ${UTC}) as until, reason from coordination.lease_terms
     where namespace = 'default' and lease = $1 order by lease_terms.token`,
    [lease],
  );
  return rows.map((row) => ({ ...row, token: BigInt(row.token) }));
}

/** The same as a server lists them. */
export async function servedTermsOf(server: string, lease: string): Promise<Term[]> {
  const { items = [] } = (await ask(`${server}${TERMS}?fieldSelector=spec.leaseName%3D${lease}`)).json;
  const terms = (items as unknown as ServedTerm[]).map(({ spec, status: { until = null, reason = null } }) => {
    return { token: BigInt(spec.fencingToken), holder: spec.holder, began: spec.from, until, reason };
  });
  return terms.sort((one, other) => Number(one.token - other.token));
}

/** Who holds which lease by its open term. */
export async function openHolders(database: pg.Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.query<{ lease: string; holder: string }>(
    `select lease, holder from coordination.lease_terms where namespace = 'default' and until is null`,
  );
  return new Map(rows.map(({ lease, holder }) => [lease, holder]));
}
