import path from 'node:path';
import { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import type { ServerConfig } from '../config/server-config.js';

/** Variables that select a server (libpq's names); PGUSER and PGPASSWORD alone only say who asks. */
const SELECTING_VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE'];

/** The embedded server, its data below the data directory; undefined when another one is configured. */
export function embeddedPostgres(config: ServerConfig, environment: NodeJS.ProcessEnv): EmbeddedPostgres | undefined {
  const given = [config.databaseUrl, config.databasePasswordFile, ...SELECTING_VARIABLES.map((name) => environment[name])];
  if (given.some(Boolean)) return undefined;
  return new EmbeddedPostgres({ dir: path.join(config.dataDir, 'postgres') });
}
