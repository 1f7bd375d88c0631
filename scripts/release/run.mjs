import { spawnSync } from 'node:child_process';

/** Runs a program that must succeed, its output on stderr; answers what it prints on stdout if `read` is set. */
export function run(program, args, { read = false, env = {} } = {}) {
  const stdio = ['ignore', read ? 'pipe' : 2, 'inherit'];
  const { status, stdout, error } = spawnSync(program, args, { stdio, encoding: 'utf8', env: { ...process.env, ...env } });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
  return stdout;
}

/** Whether a program is installed. */
export function has(program, ...args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
