import { sqlStatement } from '../../database/statement/statement.js';
import { TERM_RESOURCE } from '../../term-change.js';
import { type LineageMark, MARK_COLUMNS } from '../lineage/lineage-mark.js';
import type { OptionalObjectRow } from '../rows/object-row.js';
import { type TermColumns, termColumns } from './term-text.js';

/** A term as statements select it, and up to which revision the log is compacted. Without `data` its columns tell. */
export type TermRow = LineageMark & OptionalObjectRow & TermColumns & { readonly compacted: number };

/** The range of paths, the most rows, and the lease or holder, which not every statement has ($4). */
type Selected = readonly [from: string, to: string, limit: number, equal: string];
/** The same at a revision ($5); $6 is its segment of the log. */
type SelectedAt = readonly [...selected: Selected, revision: number, segment: number];

/** How a page is sorted, and what its candidates fulfil. */
interface Order {
  readonly by: string;
  readonly condition?: string;
}

const BY_PATH: Order = { by: 'path' };
/** The newest first: those with tokens below a parameter. */
const byToken = (parameter: number): Order => ({ by: 'token desc', condition: `and token < $${parameter}` });

/** A page of candidates in their order. There is always a row, so the mark is known. */
const page = (candidates: string, selected: string, { by, condition = '' }: Order): string => `
    select ${MARK_COLUMNS}, compaction.revision as compacted, page.path, page.uid, false as terminating, ${selected}
    from compaction cross join revision_counter counter left join lateral (
      select * from (${candidates}) candidate
      where path >= $1 and path < $2 ${condition} order by ${by} limit $3
    ) page on true`;

const newest = (candidates: string, order = BY_PATH): string => `
    ${page(candidates, `page.revision, null::text as data, ${termColumns('page')}`, order)}
    order by page.${order.by}`;

/** As they were at a revision: terms that have changed since are in the log as they were before. */
const historical = (candidates: string, { by, condition = '' } = BY_PATH): string => `
    ${page(candidates, `coalesce(earlier.previous_revision, page.revision) as revision, earlier.previous as data, ${termColumns('page')}`, { by, condition: `and created <= $5 ${condition}` })}
    left join lateral (
      select l.previous_revision, l.previous from revision_log l
      where page.revision > $5 and l.segment >= $6 and l.resource = '${TERM_RESOURCE}' and l.path = page.path and l.revision > $5
      order by l.revision limit 1
    ) earlier on true
    order by page.${by}`;

/** `$4` is mentioned, since each parameter needs a type. */
const ALL = `select * from lease_term t where $4::text is not null`;
/** `offset 0` keeps the planner from reading the range of paths instead. */
const OPEN = `${ALL} and t.segment = 0`;
const OF_LEASE = `select * from lease_term t where t.lease = $4 offset 0`;
const OF_HOLDER = `select * from lease_term t where t.holder = $4 offset 0`;

/**
 * The first terms of a range of paths: all of them, those that last, those of leases of one name, or those of one holder. SQL, because the plans
 * depend on its exact form.
 */
export const LIST_TERMS = {
  all: sqlStatement<TermRow, Selected>('list_terms', newest(ALL)),
  open: sqlStatement<TermRow, Selected>('list_open_terms', newest(OPEN)),
  lease: sqlStatement<TermRow, Selected>('list_terms_of_lease', newest(OF_LEASE)),
  holder: sqlStatement<TermRow, Selected>('list_terms_of_holder', newest(OF_HOLDER)),
};

/** The same at an earlier revision. */
export const LIST_HISTORICAL_TERMS = {
  all: sqlStatement<TermRow, SelectedAt>('list_historical_terms', historical(ALL)),
  lease: sqlStatement<TermRow, SelectedAt>('list_historical_terms_of_lease', historical(OF_LEASE)),
  holder: sqlStatement<TermRow, SelectedAt>('list_historical_terms_of_holder', historical(OF_HOLDER)),
};

/** The newest terms below a token (the last parameter) of leases of one name, now and at an earlier revision. */
export const LIST_NEWEST_TERMS = {
  now: sqlStatement<TermRow, readonly [...selected: Selected, below: number]>('list_newest_terms', newest(OF_LEASE, byToken(5))),
  at: sqlStatement<TermRow, readonly [...selected: SelectedAt, below: number]>(
    'list_newest_historical_terms',
    historical(OF_LEASE, byToken(7)),
  ),
};
