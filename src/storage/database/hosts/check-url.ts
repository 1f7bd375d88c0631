import { parseConnectionString } from './connection-string.js';
import { databaseHosts } from './database-hosts.js';
import { DatabaseStartError } from '../session/database-start-error.js';

/**
 * Throws a DatabaseStartError unless this, or without a URL the environment, names a PostgreSQL; pg would use part of any other text as the host
 * name. PGSSLMODE is for URLs without a mode of their own.
 */
export function checkUrl(url = '', environment: NodeJS.ProcessEnv = process.env): void {
  databaseHosts(url, environment);
  const mode = url === '' ? undefined : parseConnectionString(url).get('sslmode');
  checkSslMode(mode ?? environment['PGSSLMODE']);
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Throws a DatabaseStartError for an unknown sslmode, which pg would interpret as one of the known ones. '' means none. */
function checkSslMode(mode = ''): void {
  if (mode === '' || SSL_MODES.includes(mode)) return;
  throw new DatabaseStartError(`unknown sslmode=${mode}: use one of ${SSL_MODES.join(', ')}`);
}
