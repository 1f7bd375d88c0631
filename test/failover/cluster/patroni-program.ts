import { existsSync } from 'node:fs';
import path from 'node:path';
import { mustRun, runProgram } from '../../clients/run-program.js';
import { programPath } from './find-programs.js';
import { MissingProgramError } from './missing-program-error.js';

/**
 * Debian 12's 3.0.2 puts etcd 3's leader key without a look at who has it: a primary that was paused takes the lock from its successor,
 * and brings back a past that was left. 3.1 compares first; from 3.2 on a ttl below 20 s is raised to that.
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
  // The system's own before one in a home directory, which PostgreSQL's account could not reach.
  const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : programPath('python3');
  const usable = python !== undefined && (await runProgram(python, ['-c', 'import ensurepip'])).code === 0;
  if (!usable) throw new MissingProgramError('Patroni needs Python 3 with venv: apt-get install python3-venv');
  await mustRun(python, ['-m', 'venv', dir]);
  await mustRun(path.join(dir, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...REQUIREMENTS]);
  return program;
}
