import { DATABASE_TABLES } from '../../database/statement/database-tables.js';
import { sqlStatement } from '../../database/statement/statement.js';

/** Copied are all columns but the segment and what is generated. */
const { segment: _segment, path: _path, ...COPIED } = DATABASE_TABLES.lease_term;
const NAMES = Object.keys(COPIED).join(', ');
const COLUMNS = Object.entries(COPIED)
  .map(([column, { name }]) => `${column} ${name}`)
  .join(', ');

/** A term as a copy of its row: its columns by their names, times as PostgreSQL writes them. */
export interface CopiedTerm {
  readonly namespace: string;
  readonly lease: string;
  readonly [column: string]: string | number | boolean | null;
}

export const COPY_OPEN_TERMS = sqlStatement<{ term: CopiedTerm }, readonly []>(
  'copy_open_terms',
  `select to_jsonb(t) as term from (select ${NAMES} from lease_term where segment = 0) t order by namespace, lease`,
);

/** A page of the terms that had ended by a revision ($1), after a path ($2); $3 the most terms. They do not change any more. */
export const COPY_ENDED_TERMS = sqlStatement<{ term: CopiedTerm; path: string }, readonly [revision: number, after: string, limit: number]>(
  'copy_ended_terms',
  `
    select to_jsonb(t) - 'path' as term, path
    from (select path, ${NAMES} from lease_term where segment > 0 and revision <= $1 and path > $2 order by path limit $3) t`,
);

/** Adds copied terms ($1, a JSON array): open ones, and those that have ended to the newest segment. */
export const ADD_TERMS = sqlStatement<never, readonly [terms: string]>(
  'add_terms',
  `
    with segment as (select max(segment) as newest from lease_term_segment), added as (
      insert into lease_term (segment, ${NAMES})
      select case when t.until is null then 0 else segment.newest end, t.*
      from segment cross join jsonb_to_recordset($1::jsonb) as t(${COLUMNS})
      returning segment
    )
    update lease_term_segment s set terms = s.terms + (select count(*) from added where added.segment > 0)
    from segment where s.segment = segment.newest`,
);
