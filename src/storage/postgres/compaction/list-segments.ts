import { sqlStatement } from '../../database/statement/statement.js';

/** One partition of the log, attached or not. */
export interface Segment {
  readonly segment: number;
  readonly attached: boolean;
  /** A detach has started but not finished. */
  readonly detaching: boolean;
}

/**
 * All partitions in the log's own schema, in ascending order; those in other schemas belong to other installations. Written in SQL, because
 * it reads PostgreSQL's catalogue.
 */
export const LIST_SEGMENTS = sqlStatement<Segment, readonly []>(
  'list_segments',
  `
  select substring(c.relname from 14)::integer as segment, i.inhrelid is not null as attached,
         coalesce(i.inhdetachpending, false) as detaching
  from pg_class log
  join pg_class c on c.relnamespace = log.relnamespace and c.relkind = 'r' and c.relname ~ '^revision_log_[0-9]+$'
  left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = log.oid
  where log.oid = 'revision_log'::regclass
  order by 1`,
);
