import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { IS_EXECUTABLE, embeddedFolder } from './embedded-files.js';
import type { ProgramFolder } from './program-folder.js';

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
