import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './start-error.js';

/** Reads a file named by a flag. Throws StartError if it cannot be read. */
export function readGivenFile(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`cannot read ${flag}: ${systemFailure(error)}`);
  }
}

/** The text of a file; undefined if there is none. */
export function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a file of mode 0600 atomically, replacing any existing one. */
export function writePrivateFile(file: string, text: string): void {
  writePrivateFiles([[file, text]]);
}

/** Writes several, which get their names, in this order, once all of them are on the disk. */
export function writePrivateFiles(files: readonly (readonly [file: string, text: string])[]): void {
  for (const [file, text] of files) writeFresh(fresh(file), text);
  for (const [file] of files) renameSync(fresh(file), file);
}

const fresh = (file: string): string => `${file}.${process.pid}.new`;

function writeFresh(file: string, text: string): void {
  const fd = openSync(file, 'w', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

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

/** What to do about errors of the operating system that concern files, by their codes. */
const REMEDIES: ReadonlyMap<string, () => string> = new Map([
  ['EACCES', permission],
  ['EPERM', permission],
  ['EROFS', () => 'its file system is read-only: mount it to be written, or name another place'],
  ['ENOSPC', () => 'its disk is full: free some space, or name another place'],
  ['EDQUOT', () => 'the quota of its disk is used up: free some space, or name another place'],
]);

/** The message of an error, which has the path if a file is concerned, with what to do about it. */
export function systemFailure(error: unknown): string {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const remedy = REMEDIES.get(code)?.();
  return remedy === undefined ? message : `${message}: ${remedy}`;
}

/** Whether an error says that a file could not be read or written, and not a connection. */
export function isFileFailure(error: unknown): boolean {
  const { code, path, syscall = '' } = error as NodeJS.ErrnoException;
  const isOfConnection = syscall === 'connect' || (path !== undefined && path.includes('.s.PGSQL.'));
  return !isOfConnection && (REMEDIES.has(code ?? '') || ['EIO', 'EFBIG', 'EISDIR'].includes(code ?? ''));
}

function permission(): string {
  return `the user ${process.getuid?.() ?? 'of this program'} may not: give it the right, or run this as another user`;
}
