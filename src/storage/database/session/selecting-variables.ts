/** Variables that select a server (libpq's names); PGUSER and PGPASSWORD alone only select a user. */
export const SELECTING_VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE'] as const;

/** The variables that chose the database of this URL (empty: libpq's variables did), perhaps for another program. */
export function selectingVariables(url: string, environment: NodeJS.ProcessEnv = process.env): string[] {
  const candidates = url === '' ? SELECTING_VARIABLES : url === environment['DATABASE_URL'] ? ['DATABASE_URL'] : [];
  return candidates.filter((name) => environment[name]);
}
