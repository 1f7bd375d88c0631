import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder of files that belong to the program. */
export interface ProgramFolder {
  read(name: string): Buffer;
  /** The names of all files below it, with slashes; none if there is no such folder. */
  list(): readonly string[];
}

/** What of `node:sea` is used here. */
interface Sea {
  isSea(): boolean;
  getRawAsset(key: string): ArrayBuffer;
}

/** The name under which the build adds the names of all other files. */
const NAMES = 'names.json';

// A Node.js that is too old does not have it, and is told so.
const sea = (process as Partial<typeof process>).getBuiltinModule?.('node:sea') as Sea | undefined;

/** Whether the program is one executable file, which contains Node.js and the files of the program. */
export const IS_EXECUTABLE = sea?.isSea() === true;

/** A folder of files that the executable contains, by its path in the package. */
function embeddedFolder(name: string): ProgramFolder {
  const prefix = name === '' ? '' : `${name}/`;
  return {
    // A copy: what the executable contains cannot be changed.
    read: (file) => Buffer.from(Buffer.from(asset(`${prefix}${file}`))),
    list: () => names().flatMap((each) => (each.startsWith(prefix) ? [each.slice(prefix.length)] : [])),
  };
}

function names(): string[] {
  return JSON.parse(Buffer.from(asset(NAMES)).toString()) as string[];
}

function asset(key: string): ArrayBuffer {
  if (sea === undefined) throw new Error('this program is no executable');
  return sea.getRawAsset(key);
}

/** The directory of the program's package.json, or of the executable. */
export const PROGRAM_ROOT = IS_EXECUTABLE ? path.dirname(process.execPath) : fileURLToPath(new URL('../../', import.meta.url));

/** The file that Node runs, or the executable. */
export const PROGRAM_FILE = IS_EXECUTABLE ? process.execPath : path.join(PROGRAM_ROOT, 'dist/main.js');

/** A folder in the program's package, by its path there. */
export function programFolder(name: string): ProgramFolder {
  return IS_EXECUTABLE ? embeddedFolder(name) : folderAt(path.join(PROGRAM_ROOT, name));
}

export function folderAt(directory: string): ProgramFolder {
  return {
    read: (name) => readFileSync(path.join(directory, name)),
    list: () => filesBelow(directory).map((name) => name.replaceAll(path.sep, '/')),
  };
}

function filesBelow(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The program's package.json. */
export function programManifest(): { readonly version: string; readonly engines: { readonly node: string } } {
  return JSON.parse(programFolder('').read('package.json').toString()) as ReturnType<typeof programManifest>;
}

export const PROGRAM_VERSION = programManifest().version;
