import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './start-error.js';
import { systemFailure } from './system-failure.js';

interface NewDirectory {
  /** For the error: `the data directory`. */
  readonly what: string;
  /** The mode of each directory that is created. */
  readonly mode: number;
}

/** Creates a directory and its parents unless they exist. Throws StartError if that is not possible. */
export function makeDirectory(directory: string, { what, mode }: NewDirectory): void {
  try {
    make(path.resolve(directory), mode);
  } catch (error) {
    throw new StartError(`cannot create ${what} ${directory}: ${systemFailure(error)}`);
  }
}

/** Not mkdir's `recursive`: with it Node.js tries for ever where the kernel answers ENOENT although the parent exists, as below /proc. */
function make(directory: string, mode: number): void {
  const parent = path.dirname(directory);
  if (isDirectory(directory)) return;
  if (parent !== directory) make(parent, mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!isDirectory(directory)) throw error;
  }
}

/** Throws if a part of the path may not be searched. */
function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
