/** Variables that select a server (libpq's names); PGUSER and PGPASSWORD alone only select a user. */
export const SELECTING_VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE'] as const;
