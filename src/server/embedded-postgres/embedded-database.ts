import path from 'node:path';
import { EmbeddedPostgres } from './embedded-postgres.js';
import type { ServerSettings } from '../config/server-settings.js';
import { workerCount } from '../workers/worker-count.js';

/** More than a process opens: for reads (DEFAULT_READ_CONNECTIONS), batches, notifications and maintenance. */
const CONNECTIONS_PER_WORKER = 10;
/** For PostgreSQL's own maintenance and for people who inspect the database. */
const OTHER_CONNECTIONS = 40;

/** Variables that select a server (libpq's names); PGUSER and PGPASSWORD alone only select a user. */
const SELECTING_VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE'];

/** Whether no other server is configured. */
export function usesEmbeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): boolean {
  const given = [config.databaseUrl, config.databasePasswordFile, ...SELECTING_VARIABLES.map((name) => environment[name])];
  return !given.some(Boolean);
}

/** The embedded server, with its data below the data directory; undefined if another server is configured. */
export function embeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): EmbeddedPostgres | undefined {
  if (!usesEmbeddedPostgres(config, environment)) return undefined;
  const connections = OTHER_CONNECTIONS + CONNECTIONS_PER_WORKER * workerCount(config);
  return new EmbeddedPostgres({ dir: path.join(config.dataDir, 'postgres'), settings: { max_connections: String(connections) } });
}
