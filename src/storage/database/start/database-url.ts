import type { StorageSettings } from '../../storage.settings.js';
import { passwordIn } from '../hosts/database-hosts.js';
import { StartError } from '../../../settings/start-error.js';
import { readGivenFile } from '../../../settings/read-given-file.js';

const FLAG = '--database-password-file';

/** The URL of the given database with the password of its file; '' leaves everything to the PG* variables. StartError when they do not fit. */
export function givenDatabaseUrl({ databaseUrl, databasePasswordFile }: StorageSettings): string {
  if (databasePasswordFile === '') return databaseUrl;
  // Not by URL: a percent-encoded socket directory is a host to PostgreSQL alone.
  const [, scheme, user, rest] = /^(postgres(?:ql)?:\/\/)([^:@/?]+)(@.*)$/s.exec(databaseUrl) ?? [];
  if (scheme === undefined) throw new StartError(`${FLAG} needs a --database-url with a user and without a password`);
  const password = readGivenFile(FLAG, databasePasswordFile).replace(/\r?\n$/, '');
  if (password === '') throw new StartError(`${FLAG} ${databasePasswordFile} is empty`);
  return `${scheme}${user}:${encodeURIComponent(password)}${rest}`;
}

/** The password of the connection, '' where none is known. */
export function databasePassword(url: string, environment: NodeJS.ProcessEnv): string {
  return passwordIn(url) || environment['PGPASSWORD'] || '';
}
