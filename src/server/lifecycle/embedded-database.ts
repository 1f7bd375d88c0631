import path from 'node:path';
import { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import type { ServerConfig } from '../config/server-config.js';
import { workerCount } from '../workers/worker-count.js';

/** More than a process takes: its reads (DEFAULT_READ_CONNECTIONS), batches, listening and upkeep. */
const CONNECTIONS_PER_WORKER = 10;
/** For PostgreSQL's own upkeep and whoever looks into the database by hand. */
const OTHER_CONNECTIONS = 40;

/** Variables that select a server (libpq's names); PGUSER and PGPASSWORD alone only say who asks. */
const SELECTING_VARIABLES = ['PGHOST', 'PGPORT', 'PGDATABASE'];

/** Whether no other server is configured. */
export function usesEmbeddedPostgres(config: ServerConfig, environment: NodeJS.ProcessEnv): boolean {
  const given = [config.databaseUrl, config.databasePasswordFile, ...SELECTING_VARIABLES.map((name) => environment[name])];
  return !given.some(Boolean);
}

/** The embedded server, its data below the data directory; undefined when another one is configured. */
export function embeddedPostgres(config: ServerConfig, environment: NodeJS.ProcessEnv): EmbeddedPostgres | undefined {
  if (!usesEmbeddedPostgres(config, environment)) return undefined;
  const connections = OTHER_CONNECTIONS + CONNECTIONS_PER_WORKER * workerCount(config);
  return new EmbeddedPostgres({ dir: path.join(config.dataDir, 'postgres'), settings: { max_connections: String(connections) } });
}
