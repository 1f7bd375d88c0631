import path from 'node:path';
import { EmbeddedPostgres } from './embedded-postgres.js';
import type { ServerSettings } from '../config/server-settings.js';
import { usesEmbeddedPostgres } from '../config/uses-embedded-postgres.js';
import { workerCount } from '../config/worker-count.js';

/** More than a process opens: for reads (DEFAULT_READ_CONNECTIONS), batches, notifications and maintenance. */
const CONNECTIONS_PER_WORKER = 10;
/** For PostgreSQL's own maintenance and for people who inspect the database. */
const OTHER_CONNECTIONS = 40;

/** The embedded server, with its data below the data directory; undefined if another server is configured. */
export function embeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): EmbeddedPostgres | undefined {
  if (!usesEmbeddedPostgres(config, environment)) return undefined;
  const connections = OTHER_CONNECTIONS + CONNECTIONS_PER_WORKER * workerCount(config.workers);
  return new EmbeddedPostgres({ dir: path.join(config.dataDir, 'postgres'), settings: { max_connections: String(connections) } });
}
