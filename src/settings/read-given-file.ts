import { readFileSync } from 'node:fs';
import { StartError } from './start-error.js';
import { systemFailure } from './system-failure.js';

/** Reads a file named by a flag. Throws StartError if it cannot be read. */
export function readGivenFile(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`cannot read ${flag}: ${systemFailure(error)}`);
  }
}
