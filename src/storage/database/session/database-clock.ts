import { sqlStatement } from '../statement/statement.js';

/** The database's clock, in milliseconds. One row. */
export const READ_CLOCK = sqlStatement<{ now: number }, readonly []>(
  'read_clock',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
);
