import { type Statement, sqlStatement } from '../../database/statement/statement.js';

/** A table that is partitioned by the number of a segment. */
export type SegmentedTable = 'revision_log' | 'lease_term';

/** One partition of a table, attached or not. */
export interface Segment {
  readonly segment: number;
  readonly attached: boolean;
  /** A detach was begun and not finished. */
  readonly detaching: boolean;
}

/**
 * All partitions in the schema of the table itself, so that those of another schema are left alone; in ascending order. SQL, because it reads
 * PostgreSQL's catalogue.
 */
export function listPartitions(table: SegmentedTable): Statement<Segment, readonly []> {
  return sqlStatement<Segment, readonly []>(
    `list_segments_of_${table}`,
    `
  select substring(c.relname from ${table.length + 2})::integer as segment, i.inhrelid is not null as attached,
         coalesce(i.inhdetachpending, false) as detaching
  from pg_class parent
  join pg_class c on c.relnamespace = parent.relnamespace and c.relkind = 'r' and c.relname ~ '^${table}_[0-9]+$'
  left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = parent.oid
  where parent.oid = '${table}'::regclass
  order by 1`,
  );
}
