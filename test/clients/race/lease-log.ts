import type pg from 'pg';
import type { Version } from './history-violations.js';

interface Row {
  readonly revision: string;
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseTransitions?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
  };
}

/**
 * The versions of a lease after a revision, from the revision log. Complete only where nothing was compacted. They are in the order of the
 * column: the result of that name is text, in which 9999 follows 10000.
 */
export async function versionsOf(database: pg.Pool, lease: string, after = 0n): Promise<Version[]> {
  const { rows } = await database.query<Row>(
    `select revision::text, data::json -> 'spec' as spec from coordination_tables.revision_log
     where resource = 'leases.coordination.k8s.io' and path = $1 and revision > $2 order by revision_log.revision`,
    [`default/${lease}`, after.toString()],
  );
  return rows.map(({ revision, spec }) => ({
    revision: BigInt(revision),
    holder: spec.holderIdentity ?? '',
    transitions: spec.leaseTransitions ?? 0,
    acquireTime: spec.acquireTime ?? '',
    renewTime: spec.renewTime ?? '',
  }));
}
