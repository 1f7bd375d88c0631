import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { mustRun } from '../../../../test/clients/run-program.js';
import { oneAtATime } from '../../../../test/support/one-at-a-time.js';

const root = path.resolve(import.meta.dirname, '../..');

/** Builds this package unless its build is newer than its sources. */
export function buildPackage(): Promise<void> {
  return oneAtATime('packages/leader-election', async () => {
    if (isStale()) await mustRun('npm', ['run', '--silent', 'build'], { cwd: root });
  });
}

function isStale(): boolean {
  const built = statSync(path.join(root, 'dist/leader-election.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return globSync(['{src,package.json,build.mjs}{,/**}', '../kube-client/src/**'], { cwd: root }).some(
    (file) => statSync(path.join(root, file)).mtimeMs > built,
  );
}
