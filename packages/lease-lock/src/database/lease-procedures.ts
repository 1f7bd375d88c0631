import type { Claim } from '../backend.js';
import { LockError } from '../lock-options.js';

/** One of a claim's leases, by the database's clock. */
export interface LeaseState {
  readonly held: boolean;
  readonly holder: string;
  /** Null where there is no lease. */
  readonly revision: string | null;
}

/** The token, or who holds the lease, and at which revision it is. */
export type Attempted = { readonly token: bigint } | { readonly holder: string; readonly revision: string | null };

/** A revision at which a lease has been seen, and for how many milliseconds of a steady clock unchanged. */
export interface Unchanged {
  readonly revision: string | null;
  readonly ms: number;
}

interface Answer {
  /** Null if nobody holds the lease. */
  readonly holder: string | null;
  readonly token: string | null;
  readonly seen?: string | null;
  readonly acquired?: boolean;
  readonly renewed?: boolean;
}

/** The calls of docs/sql.md for one claim. Each is a statement of its own, and rejects with a LockError. */
export class LeaseProcedures {
  readonly #database: Queryable;
  readonly #schema: string;
  readonly #claim: Claim;

  constructor(database: Queryable, schema: string, claim: Claim) {
    this.#database = database;
    this.#schema = `"${schema.replaceAll('"', '""')}"`;
    this.#claim = claim;
  }

  async acquire(lease: string, seen: Unchanged): Promise<Attempted> {
    const { namespace, holder, duration } = this.#claim;
    const values = [namespace, lease, holder, `${duration} ms`, seen.revision, Math.floor(seen.ms)];
    const [answer] = await this.#ask<Answer>('call @.lease_acquire($1, $2, $3, $4, $5::bigint, $6::bigint)', values);
    return answer?.acquired ? { token: BigInt(answer.token ?? 0) } : { holder: answer?.holder ?? '', revision: answer?.seen ?? null };
  }

  /** False with the present holder, if there is one, when the term of the token is over. */
  async renew(lease: string, token: bigint): Promise<{ readonly renewed: boolean; readonly holder: string }> {
    const { namespace, holder } = this.#claim;
    const [answer] = await this.#ask<Answer>('call @.lease_renew($1, $2, $3, $4)', [namespace, lease, holder, String(token)]);
    return { renewed: answer?.renewed ?? false, holder: answer?.holder ?? '' };
  }

  /** Releases the lease; without a token, in whatever term of the holder. */
  async release(lease: string, token?: bigint): Promise<void> {
    const { namespace, holder } = this.#claim;
    await this.#ask('call @.lease_release($1, $2, $3, $4)', [namespace, lease, holder, token === undefined ? null : String(token)]);
  }

  /** Leases, by default all of the claim, in this order, in one round trip. */
  look(leases = this.#claim.leases): Promise<LeaseState[]> {
    const { namespace } = this.#claim;
    return this.#ask<LeaseState>(
      `select coalesce(l.held, false) as held, coalesce(l.holder, '') as holder, l.revision::text as revision
       from unnest($2::text[]) with ordinality as lease (name, at) left join lateral @.lease_get($1, lease.name) l on true
       order by at`,
      [namespace, leases],
    );
  }

  async #ask<Row>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      const { rows } = await this.#database.query(text.replaceAll('@', this.#schema), values);
      return rows as Row[];
    } catch (error) {
      throw sqlFailure(error);
    }
  }
}

/** What is needed of a database: a pool of `pg` is one. Statements run outside of transactions. */
export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

const NAMESPACE = "as the owner of the schema: call coordination.lease_create_namespace('NAMESPACE')";

/** Rejections that another attempt would meet again, with what helps where the message does not say it. */
const FINAL: ReadonlyMap<string, string> = new Map([
  ['22023', ''], // a name
  ['28000', ''], // the user
  ['28P01', ''], // the password
  ['2D000', ' (the statement ran within a transaction)'],
  ['3D000', ''], // no such database
  ['3F000', ` (coordination-apiserver migrate up creates the schema; then, ${NAMESPACE})`],
  ['42501', ' (the owner of the schema may call lease_grant)'],
  ['42704', ` (${NAMESPACE})`],
  ['42883', ' (coordination-apiserver migrate up creates the procedures)'],
  ['42809', ''], // of another kind than is called
  ['53400', ''], // too many leases
  ['55000', ''], // the lease or its namespace is not for this
]);

/** Everything else may change: connections, failovers, a standby instead of the primary, a server without memory or disk. */
export function sqlFailure(error: unknown): LockError {
  const { code, message } = describe(error);
  const help = code === undefined ? undefined : FINAL.get(code);
  if (help !== undefined) return new LockError('refused', `the database refused: ${message}${help} (${code})`, { cause: error });
  return new LockError('unreachable', `the database cannot answer now: ${message}`, { cause: error });
}

/** Failures to connect to several addresses have one message each. */
function describe(error: unknown): { code?: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return { code: typeof code === 'string' ? code : undefined, message: error.message || error.name };
}
