import { globSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isPostmasterOf, readPostmasterFile } from '../../src/server/embedded-postgres/postmaster-pid.js';
import { fastFolder } from './fast-folder.js';
import { afterAllTests } from './for-tests.js';

/** A directory for the tests of a file or block, which is removed after them with every PostgreSQL that runs in it. */
export function scratchDirectory(folder = fastFolder()): string {
  const dir = mkdtempSync(path.join(folder, 'test-'));
  afterAllTests(() => {
    for (const cluster of globSync('**/postgres/data', { cwd: dir })) endPostgres(path.join(dir, cluster));
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

/** Ends the PostgreSQL that a killed server left behind. */
function endPostgres(clusterDir: string): void {
  const left = readPostmasterFile(clusterDir);
  if (left && isPostmasterOf(left.pid, clusterDir)) process.kill(left.pid, 'SIGQUIT');
}
