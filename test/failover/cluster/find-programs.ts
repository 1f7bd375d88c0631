import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { MissingProgramError } from './missing-program-error.js';

const POSTGRES_ROOT = '/usr/lib/postgresql';

/** The directory of PostgreSQL's programs: POSTGRES_BIN_DIR, else the newest of Debian's. */
export function postgresBinDir(): string {
  const given = process.env.POSTGRES_BIN_DIR;
  const majors = existsSync(POSTGRES_ROOT) ? readdirSync(POSTGRES_ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  const found = [...(given ? [given] : []), ...majors.map((major) => path.join(POSTGRES_ROOT, major, 'bin'))].find((dir) =>
    existsSync(path.join(dir, 'postgres')),
  );
  if (found) return found;
  throw new MissingProgramError('PostgreSQL is not installed: apt-get install postgresql-15, or set POSTGRES_BIN_DIR');
}

/** The path of a program. Throws a MissingProgramError that says how to get it. */
export function findProgram(name: string, howToGet: string, given?: string): string {
  const found = programPath(name, given);
  if (found) return found;
  throw new MissingProgramError(`${given ?? name} is not installed: ${howToGet}`);
}

export function programPath(name: string, given?: string): string | undefined {
  if (given !== undefined) return existsSync(given) ? given : undefined;
  return (process.env.PATH ?? '')
    .split(':')
    .map((dir) => path.join(dir, name))
    .find((file) => existsSync(file));
}

/** The first line that a program prints about its version. */
export function versionOf(file: string, flag = '--version'): string {
  const { stdout } = spawnSync(file, [flag], { encoding: 'utf8' });
  return (stdout ?? '').split('\n')[0]?.trim() ?? '';
}
