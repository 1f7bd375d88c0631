import { realpathSync } from 'node:fs';
import path from 'node:path';
import { IS_EXECUTABLE, PROGRAM_FILE, PROGRAM_ROOT } from './program-files.js';

const NAME = 'coordination-apiserver';

/** Where the program is, and where it was started. */
export interface CallSite {
  /** The directory of its package.json. */
  readonly root: string;
  /** The executable, if the program is one. */
  readonly executable?: string;
  readonly cwd: string;
  /** The variable PATH. */
  readonly searchPath: string;
}

/**
 * What calls this program again in a shell at the same place: its name where PATH leads to it (an image, a global installation), the script of a
 * clone, npx in a project that depends on it, else the executable, or node with its file. Every line to copy begins with it.
 */
export function programCall({ root, executable, cwd, searchPath }: CallSite): string {
  const file = path.join(root, 'dist/main.js');
  const main = realPath(executable ?? file);
  // A package, an image and an executable have none.
  const script = executable === undefined ? realPath(path.join(root, NAME)) : undefined;
  const leadsHere = (directory: string) => {
    const found = realPath(path.join(directory, NAME));
    return found !== undefined && (found === main || found === script);
  };
  // npm puts these in PATH for its scripts only.
  const directories = searchPath.split(path.delimiter).filter((directory) => !directory.endsWith(path.join('node_modules', '.bin')));
  if (directories.some((directory) => directory !== '' && leadsHere(directory))) return NAME;
  if (executable !== undefined) return shellWord(executable);
  if (script !== undefined) return path.dirname(script) === realPath(cwd) ? `./${NAME}` : shellWord(script);
  const isInstalled = ancestors(cwd).some((directory) => leadsHere(path.join(directory, 'node_modules', '.bin')));
  if (isInstalled || root.includes(`${path.sep}_npx${path.sep}`)) return `npx ${NAME}`;
  return `node ${shellWord(file)}`;
}

/** The call of the running program. */
export const PROGRAM_CALL = programCall({
  root: path.resolve(PROGRAM_ROOT),
  executable: IS_EXECUTABLE ? PROGRAM_FILE : undefined,
  cwd: process.cwd(),
  searchPath: process.env.PATH ?? '',
});

/** Text with commands, such as `coordination-apiserver doctor`, as they are called here; those within a container stay. */
export function asCalled(text: string, call = PROGRAM_CALL): string {
  return text.replaceAll(/(?<![\w/-]|exec apiserver )coordination-apiserver (?=[a-z])/g, `${call} `);
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}

/** Text as one word of a shell's command line, quoted if it needs to be. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
