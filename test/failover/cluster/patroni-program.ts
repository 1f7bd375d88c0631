import { existsSync } from 'node:fs';
import path from 'node:path';
import { mustRun, runProgram } from '../../clients/run-program.js';
import { programPath } from './find-programs.js';
import { MissingProgramError } from './missing-program-error.js';

/**
 * Debian 12's 3.0.2 writes etcd 3's leader key without checking its holder: a primary that was paused takes the lock from its successor and
 * restores an abandoned history. 3.1 compares first; since 3.2, a ttl below 20 s is raised to 20 s.
 */
const REQUIREMENTS = ['patroni[etcd3]==3.1.2', 'psycopg2-binary>=2.9.9,<3'];

/** Patroni's program: the given one, or one that pip installs once into the cache. */
export async function patroniProgram(given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (existsSync(given)) return given;
    throw new MissingProgramError(`there is no ${given}`);
  }
  const dir = path.resolve(import.meta.dirname, '../../../node_modules/.cache/failover/patroni-3.1.2');
  const program = path.join(dir, 'bin', 'patroni');
  if (existsSync(program)) return program;
  // Prefers the system's Python to one in a home directory, which PostgreSQL's account could not access.
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : programPath('python3');
  const usable = python !== undefined && (await runProgram(python, ['-c', 'import ensurepip'])).code === 0;
  if (!usable) throw new MissingProgramError('Patroni needs Python 3 with venv: apt-get install python3-venv');
  await mustRun(python, ['-m', 'venv', dir]);
  await mustRun(path.join(dir, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...REQUIREMENTS]);
  return program;
}
