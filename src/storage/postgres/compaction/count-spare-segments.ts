import { sqlStatement } from '../../database/statement/statement.js';

/** Number of partitions attached after the one that is written to. One row. Written in SQL, because it reads PostgreSQL's catalogue. */
export const COUNT_SPARE_SEGMENTS = sqlStatement<{ spares: number }, readonly []>(
  'spare_segments',
  `
    select count(*)::int as spares
    from revision_counter counter, pg_inherits child
    where child.inhparent = 'revision_log'::regclass
      and not child.inhdetachpending
      and substring(child.inhrelid::regclass::text from '[0-9]+$')::int > counter.segment`,
);
