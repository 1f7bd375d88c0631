import { copyFileSync, globSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { oneAtATime } from '../support/one-at-a-time.js';
import { clientCache } from './client-cache.js';
import { mustRun } from './run-program.js';

/** All build into one place, so that what they share is built once. */
const TARGET = clientCache('rust');
/** As in test/clients/rust, whose dependencies are the same. */
const ENV = { CARGO_TARGET_DIR: TARGET, CARGO_PROFILE_DEV_DEBUG: 'false' };

/** Builds the package in a folder, and returns a copy of its program: packages of the same name replace each other's. */
export async function buildRust(folder: string, program: string): Promise<string> {
  const binary = path.join(folder, program);
  await oneAtATime(TARGET, async () => {
    touchSources(folder);
    await mustRun('cargo', ['build', '--quiet'], { cwd: folder, env: ENV });
    copyFileSync(path.join(TARGET, 'debug', program), binary);
  });
  return binary;
}

/** Runs the tests of the package in a folder. */
export async function testRust(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await oneAtATime(TARGET, () => {
    touchSources(folder);
    return mustRun('cargo', ['test', '--quiet'], { cwd: folder, env: { ...ENV, ...env } });
  });
}

/** Cargo takes packages of one name for the same, in whatever folder, and leaves what is older than its last build. */
function touchSources(folder: string): void {
  const now = new Date();
  for (const file of globSync('{src,tests}/*.rs', { cwd: folder })) utimesSync(path.join(folder, file), now, now);
}
