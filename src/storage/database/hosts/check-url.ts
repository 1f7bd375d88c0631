import { databaseHosts } from './database-hosts.js';
import { DatabaseStartError } from '../session/database-start-error.js';

/** Refuses what is no URL of a PostgreSQL database; pg would take a part of it for a host's name. Never repeats it: it may hold a password. */
export function checkUrl(url: string): void {
  if (!/^postgres(ql)?:\/\/./.test(url) || !databaseHosts(url).every(({ connectionString = '' }) => isUrl(connectionString))) {
    throw notValid();
  }
  checkSslMode(SSL_MODE.exec(url)?.[1]);
}

const SSL_MODE = /[?&]sslmode=([^&]*)/;
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** pg takes a mode that it does not know for one of its own. */
export function checkSslMode(mode = ''): void {
  if (mode === '' || SSL_MODES.includes(mode)) return;
  throw new DatabaseStartError(`sslmode=${mode} is not known: give one of ${SSL_MODES.join(', ')}`);
}

function notValid(): DatabaseStartError {
  return new DatabaseStartError(
    'the database URL is not valid: it must look like postgresql://user:password@host:5432/name, with several hosts as host:5432,other:5432',
  );
}

/** A host that is a percent-encoded directory is no URL to Node, but one to PostgreSQL. */
function isUrl(url: string): boolean {
  return URL.canParse(url) || URL.canParse(url.replace(/@%2f[^:/?]*/i, '@socket'));
}
