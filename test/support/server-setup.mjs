import { spawnSync } from 'node:child_process';
import path from 'node:path';
import setup from './global-setup.mjs';

/** Also builds the program that the suites start, if a source is newer. */
export default async function setupServers() {
  const root = path.resolve(import.meta.dirname, '../..');
  const { status } = spawnSync(process.execPath, ['scripts/build-if-stale.mjs'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
  await setup();
}
