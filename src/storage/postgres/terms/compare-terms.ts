import { sqlStatement } from '../../database/statement/statement.js';
import { LEASE_RESOURCE } from '../../term-change.js';

/** A lease, and the open term that the history has of it. */
export interface ComparedLease {
  readonly path: string;
  readonly uid: string;
  readonly revision: number;
  readonly data: string;
  readonly holder: string | null;
  readonly token: number | null;
  readonly term_uid: string | null;
}

/** A page of all leases after a path ($1), with their open terms; $2 the most leases. */
export const READ_LEASES_WITH_TERMS = sqlStatement<ComparedLease, readonly [after: string, limit: number]>(
  'read_leases_with_terms',
  `
    select o.path, o.uid, o.revision, o.data, t.holder, t.token, t.lease_uid as term_uid
    from objects o
    left join lease_term t on t.segment = 0 and t.namespace = split_part(o.path, '/', 1) and t.lease = split_part(o.path, '/', 2)
    where o.resource = '${LEASE_RESOURCE}' and o.path > $1
    order by o.path limit $2`,
);

/** An open term whose lease does not exist. */
export interface OrphanedTerm {
  readonly namespace: string;
  readonly lease: string;
  readonly holder: string;
  readonly token: number;
}

/** The first $1 open terms whose leases do not exist. */
export const LIST_ORPHANED_TERMS = sqlStatement<OrphanedTerm, readonly [limit: number]>(
  'list_orphaned_terms',
  `
    select t.namespace, t.lease, t.holder, t.token from lease_term t
    where t.segment = 0
      and not exists (select from objects o where o.resource = '${LEASE_RESOURCE}' and o.path = t.namespace || '/' || t.lease)
    order by t.namespace, t.lease limit $1`,
);
