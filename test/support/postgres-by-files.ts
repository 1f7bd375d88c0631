import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { ownRunner, rootRunner, unprivilegedAccount } from '../../src/server/embedded-postgres/process-account.js';
import { eventually } from './eventually.js';
import { rowsOf } from './connected.js';
import { startPostgres } from './postgres-under-test.js';

/** A PostgreSQL whose command line has no setting but its address, so that those of its files count. */
export async function startPostgresByFiles(dir: string): Promise<Pick<EmbeddedPostgres, 'url'> & AsyncDisposable> {
  const postgres = await startPostgres({ dir });
  const url = postgres.url();
  const dataDir = path.join(dir, 'data');
  const [command = '', ...words] = readFileSync(path.join(dataDir, 'postmaster.opts'), 'utf8').trim().split(' "');
  const args = words.map((word) => word.replace(/"$/, ''));
  await postgres.stop();
  const settings = args.filter((word) => /^(unix_socket_\w+|port|listen_addresses)=/.test(word)).flatMap((word) => ['-c', word]);
  const runner = process.getuid?.() === 0 ? rootRunner(unprivilegedAccount(dataDir), command, dir) : ownRunner();
  const { file, args: all, uid, gid } = runner.invoke(command, ['-D', dataDir, ...settings]);
  const child = spawn(file, [...all], { uid, gid, cwd: '/', stdio: 'ignore' });
  const exited = once(child, 'exit');
  await eventually(() => rowsOf(url, 'select 1').catch(() => undefined));
  return {
    url: () => url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}
