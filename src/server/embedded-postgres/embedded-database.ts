import path from 'node:path';
import { StartError } from '../../settings/start-error.js';
import { isLoginRefused } from '../../storage/database/session/pg-errors.js';
import { prepareServerRole, SERVER_ROLE } from '../../storage/database/start/server-role.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import type { ServerSettings } from '../config/server-settings.js';
import { usesEmbeddedPostgres } from '../config/server-address.js';
import { workerCount } from '../config/process.settings.js';

/** More than a process opens: for reads, states, batches, notifications and maintenance. */
const CONNECTIONS_PER_WORKER = 15;
/** For PostgreSQL's own maintenance and for people who inspect the database. */
const OTHER_CONNECTIONS = 40;

/** The embedded server, with its data below the data directory; undefined if another server is configured. */
export function embeddedPostgres(config: ServerSettings, environment: NodeJS.ProcessEnv): EmbeddedPostgres | undefined {
  if (!usesEmbeddedPostgres(config, environment)) return undefined;
  const connections = OTHER_CONNECTIONS + CONNECTIONS_PER_WORKER * workerCount(config.workers);
  return new EmbeddedPostgres({ dir: path.join(config.dataDir, 'postgres'), settings: { max_connections: String(connections) } });
}

/** What PGSSLMODE, PGOPTIONS and other variables, which are for the PostgreSQL of another program, would set in a connection. */
const NOT_OF_ENVIRONMENT =
  '?sslmode=disable&sslnegotiation=postgres&replication=false&client_encoding=UTF8&options=-cclient_encoding%3DUTF8';

/** Connection URL of the server's role, which owns the schema and is no superuser. Rejects with a StartError. */
export async function serverUrl(postgres: EmbeddedPostgres, schema: string): Promise<string> {
  try {
    await prepareServerRole(postgres.url() + NOT_OF_ENVIRONMENT, postgres.passwordOf(SERVER_ROLE), schema);
  } catch (error) {
    if (isLoginRefused(error)) throw new StartError(postgres.wrongPassword, { cause: error });
    throw new StartError(
      `cannot prepare the role ${SERVER_ROLE} of the embedded PostgreSQL: ${(error as Error).message}; ${postgres.ifDamaged}`,
      {
        cause: error,
      },
    );
  }
  return postgres.urlAs(SERVER_ROLE) + NOT_OF_ENVIRONMENT;
}
