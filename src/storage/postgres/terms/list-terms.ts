import { sqlStatement } from '../../database/statement/statement.js';
import { TERM_RESOURCE } from '../../term-change.js';
import { type LineageMark, MARK_COLUMNS } from '../lineage/lineage-mark.js';
import type { OptionalObjectRow } from '../rows/object-row.js';
import { type TermColumns, termColumns } from './term-text.js';

/** A term as statements select it, and up to which revision the log is compacted. Without `data` its columns tell. */
export type TermRow = LineageMark & OptionalObjectRow & TermColumns & { readonly compacted: number };

/** The range of paths, the most rows, the lease or holder, which not every statement has ($4), and a token that all are below. */
type Selected = readonly [from: string, to: string, limit: number, equal: string, below: number];
/** The same at a revision ($6); $7 is its segment of the log. */
type SelectedAt = readonly [...selected: Selected, revision: number, segment: number];

/** A page of candidates in their order. There is always a row, so the mark is known. */
const page = (candidates: string, order: string, selected: string, condition = ''): string => `
    select ${MARK_COLUMNS}, compaction.revision as compacted, page.path, page.uid, false as terminating, ${selected}, ${termColumns('page')}
    from compaction cross join revision_counter counter left join lateral (
      select * from (${candidates}) candidate
      where path >= $1 and path < $2 and token < $5 ${condition} order by ${order} limit $3
    ) page on true`;

const present = (candidates: string, order = 'path'): string => `
    ${page(candidates, order, 'page.revision, null::text as data')}
    order by page.${order}`;

/** As they were at a revision: terms that have changed since are in the log as they were before. */
const historical = (candidates: string, order = 'path'): string => `
    ${page(candidates, order, 'coalesce(earlier.previous_revision, page.revision) as revision, earlier.previous as data', 'and created <= $6')}
    left join lateral (
      select l.previous_revision, l.previous from revision_log l
      where page.revision > $6 and l.segment >= $7 and l.resource = '${TERM_RESOURCE}' and l.path = page.path and l.revision > $6
      order by l.revision limit 1
    ) earlier on true
    order by page.${order}`;

/** `$4` is mentioned, since each parameter needs a type. */
const ALL = `select * from lease_term t where $4::text is not null`;
/** `offset 0` keeps the planner from reading the range of paths instead. */
const OPEN = `${ALL} and t.segment = 0`;
const OF_LEASE = `select * from lease_term t where t.lease = $4 offset 0`;
const OF_HOLDER = `select * from lease_term t where t.holder = $4 offset 0`;

/**
 * The first terms of a range of paths: all of them, those that last, those of leases of one name, in the order of paths or the newest first, or
 * those of one holder. SQL, because the plans depend on its exact form.
 */
export const LIST_TERMS = {
  all: sqlStatement<TermRow, Selected>('list_terms', present(ALL)),
  open: sqlStatement<TermRow, Selected>('list_open_terms', present(OPEN)),
  lease: sqlStatement<TermRow, Selected>('list_terms_of_lease', present(OF_LEASE)),
  newest: sqlStatement<TermRow, Selected>('list_newest_terms', present(OF_LEASE, 'token desc')),
  holder: sqlStatement<TermRow, Selected>('list_terms_of_holder', present(OF_HOLDER)),
};

/** The same at an earlier revision. */
export const LIST_HISTORICAL_TERMS = {
  all: sqlStatement<TermRow, SelectedAt>('list_historical_terms', historical(ALL)),
  lease: sqlStatement<TermRow, SelectedAt>('list_historical_terms_of_lease', historical(OF_LEASE)),
  newest: sqlStatement<TermRow, SelectedAt>('list_newest_historical_terms', historical(OF_LEASE, 'token desc')),
  holder: sqlStatement<TermRow, SelectedAt>('list_historical_terms_of_holder', historical(OF_HOLDER)),
};
