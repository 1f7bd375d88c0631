import { databaseHosts } from './database-hosts.js';
import { DatabaseStartError } from '../session/database-start-error.js';

/**
 * Throws a DatabaseStartError unless this is a PostgreSQL URL; pg would use part of any other text as the host name. The message never
 * contains the URL, which may have a password.
 */
export function checkUrl(url: string): void {
  if (!/^postgres(ql)?:\/\/./.test(url) || !databaseHosts(url).every(({ connectionString = '' }) => isUrl(connectionString))) {
    throw notValid();
  }
  checkSslMode(SSL_MODE.exec(url)?.[1]);
}

const SSL_MODE = /[?&]sslmode=([^&]*)/;
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Throws a DatabaseStartError for an unknown sslmode, which pg would interpret as one of the known ones. '' means none. */
export function checkSslMode(mode = ''): void {
  if (mode === '' || SSL_MODES.includes(mode)) return;
  throw new DatabaseStartError(`unknown sslmode=${mode}: use one of ${SSL_MODES.join(', ')}`);
}

function notValid(): DatabaseStartError {
  return new DatabaseStartError(
    'the database URL is invalid: it must look like postgresql://user:password@host:5432/name, with several hosts written as host:5432,other:5432',
  );
}

/** Node does not accept a URL whose host is a percent-encoded directory; PostgreSQL does. */
function isUrl(url: string): boolean {
  return URL.canParse(url) || URL.canParse(url.replace(/@%2f[^:/?]*/i, '@socket'));
}
