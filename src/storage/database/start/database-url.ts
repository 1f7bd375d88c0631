import { readGivenFile } from '../../../settings/given-files.js';
import { StartError } from '../../../settings/start-error.js';
import { type ConnectionSettings, connectionUrl, parseConnectionString } from '../hosts/connection-string.js';
import { passwordOf } from '../session/database-client.js';

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
  const settings = databaseUrl === '' ? new Map<string, string>() : settingsIn(databaseUrl);
  if (!settings.has('user') || settings.has('password')) {
    throw new StartError(`${FLAG} needs a --database-url with a user and without a password`);
  }
  const password = passwordOf(readGivenFile(FLAG, databasePasswordFile));
  if (password === '') throw new StartError(`${FLAG} ${databasePasswordFile} is empty`);
  return connectionUrl(new Map([...settings, ['password', password]]));
}

/** The password of the connection; '' if unknown. */
export function databasePassword(url: string, environment: NodeJS.ProcessEnv): string {
  return (url && settingsIn(url).get('password')) || environment['PGPASSWORD'] || '';
}

function settingsIn(url: string): ConnectionSettings {
  try {
    return parseConnectionString(url);
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error });
  }
}

/** The location of the database. The class is the injection token. */
export abstract class DatabaseLocation {
  /** Empty: determined by the PG* variables. */
  abstract readonly url: string;
  /** Whether it is the embedded database, in which case secrets are kept in files. */
  abstract readonly isEmbedded: boolean;
  /** A file of the server in which is noted which installation it has served there. */
  abstract readonly installationFile?: string;
  /** What to say of it, in one line, if it cannot be opened although it answers. */
  abstract readonly ifDamaged?: string;
}
