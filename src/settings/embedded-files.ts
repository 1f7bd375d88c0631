import type { ProgramFolder } from './program-folder.js';

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
export function embeddedFolder(name: string): ProgramFolder {
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
