import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { IS_EXECUTABLE, PROGRAM_FILE } from './program-files.js';

const OTHERS_WRITE = 0o022;

/**
 * Makes Node keep what it compiles, unless NODE_COMPILE_CACHE names a place already. It is kept where only this user, and whoever may replace the
 * program, writes: Node runs what it finds there. Without such a place everything is compiled each time.
 */
export function useCompileCache(): void {
  // An executable contains what was compiled.
  if (IS_EXECUTABLE) return;
  try {
    const program = path.dirname(PROGRAM_FILE);
    const user = process.getuid?.();
    const directory = cacheDirectory(program, user);
    if (user === undefined || isTrusted(directory, [user, statSync(program).uid])) module.enableCompileCache(directory);
  } catch {
    // A cache that cannot be used is none.
  }
}

/** Beside the program, if this user has installed it, or may only read what an image has there; else in the user's own cache. */
function cacheDirectory(program: string, user: number | undefined): string {
  const beside = path.join(program, 'compiled');
  if (statSync(program).uid === user || (existsSync(beside) && !isWritable(beside))) return beside;
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'coordination-apiserver');
}

/** Others may own a directory of this name, or write in it, where a home is shared, such as /tmp. Creates it if it is missing. */
export function isTrusted(directory: string, owners: readonly number[]): boolean {
  if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o755 });
  const { uid, mode } = statSync(directory);
  return owners.includes(uid) && (mode & OTHERS_WRITE) === 0;
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
