// `npm start` runs dist/; this script rebuilds it if a source is newer, so that an edit is never silently ignored.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isLockStale } from './build-lock.mjs';
import { isUiStale } from './build-ui.mjs';

const newest = (dir) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((max, entry) => Math.max(max, statSync(path.join(entry.parentPath, entry.name)).mtimeMs), 0);

const built = statSync('dist/main.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (newest('src') > built || isUiStale() || isLockStale()) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
