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

/** A row of a page that ends with the path `last`; without a lease where all of the page agree. */
export type ComparedRow = { readonly last: string } & (ComparedLease | { readonly [Column in keyof ComparedLease]: null });

/** The leases that may disagree with their terms, of the page after a path ($1); $2 the most leases of a page. No row at the end. */
export const COMPARE_TERMS = sqlStatement<ComparedRow, readonly [after: string, limit: number]>(
  'compare_terms',
  'select * from lease_compare_terms($1, $2)',
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
