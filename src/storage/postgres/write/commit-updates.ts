import { sqlStatement } from '../../database/statement/statement.js';
import type { BatchRow } from './batch-sql.js';
import { COLUMNS, COUNTER, logged, MODIFIED, OUTCOME, VALUES } from './batch-sql.js';

/** A batch with only updates, such as renewals: commit-batch.ts without the rest. It costs PostgreSQL a sixth less CPU time. */
export const COMMIT_UPDATES = sqlStatement<BatchRow, readonly unknown[]>(
  'commit_updates',
  `
    with ${COUNTER}, op as (
      select 'M'::"char" as kind, op.* from unnest(${VALUES}) with ordinality as op(${COLUMNS}, ord)
    ), ${MODIFIED}, ${logged(`select 'M'::"char", * from modified`)}${OUTCOME}`,
);
