import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bundleProgram } from './bundle-program.mjs';
import setup from './global-setup.mjs';

/** Also builds the programs that the suites start as processes, if a source is newer. */
export default async function setupServers() {
  const root = path.resolve(import.meta.dirname, '../..');
  const { status } = spawnSync(process.execPath, ['scripts/build-if-stale.mjs'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
  process.env.COORDINATION_TEST_PROGRAM = bundleProgram();
  // The programs are started some hundred times, each time with the same modules to compile.
  process.env.COORDINATION_TEST_COMPILE_CACHE = path.join(root, 'node_modules/.cache/compiled');
  await setup();
}
