import type { ServerSettings } from './server-settings.js';

/** Variables that select a server (libpq's names); PGUSER and PGPASSWORD alone only select a user. */
const SELECTING_VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE'];

/** Whether no other PostgreSQL is configured. */
export function usesEmbeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): boolean {
  const given = [config.databaseUrl, config.databasePasswordFile, ...SELECTING_VARIABLES.map((name) => environment[name])];
  return !given.some(Boolean);
}
