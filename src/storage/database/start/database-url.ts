import { passwordIn } from '../hosts/database-hosts.js';
import { StartError } from '../../../settings/start-error.js';
import { passwordOf } from '../session/database-client.js';
import { readGivenFile } from '../../../settings/read-given-file.js';

const FLAG = '--database-password-file';

/** The flags that say where the database is. */
interface DatabaseFlags {
  readonly databaseUrl: string;
  readonly databasePasswordFile: string;
}

/**
 * The configured database URL, with the password from the file; '' if the PG* variables determine everything. Throws a StartError if URL
 * and file do not fit.
 */
export function givenDatabaseUrl({ databaseUrl, databasePasswordFile }: DatabaseFlags): string {
  if (databasePasswordFile === '') return databaseUrl;
  // Not parsed as a URL: only PostgreSQL accepts a percent-encoded socket directory as a host.
  const [, scheme, user, rest] = /^(postgres(?:ql)?:\/\/)([^:@/?]+)(@.*)$/s.exec(databaseUrl) ?? [];
  if (scheme === undefined) throw new StartError(`${FLAG} needs a --database-url with a user and without a password`);
  const password = passwordOf(readGivenFile(FLAG, databasePasswordFile));
  if (password === '') throw new StartError(`${FLAG} ${databasePasswordFile} is empty`);
  return `${scheme}${user}:${encodeURIComponent(password)}${rest}`;
}

/** The password of the connection; '' if unknown. */
export function databasePassword(url: string, environment: NodeJS.ProcessEnv): string {
  return passwordIn(url) || environment['PGPASSWORD'] || '';
}
