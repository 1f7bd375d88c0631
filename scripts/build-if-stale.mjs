// `npm start` runs dist/; this script rebuilds it if a source is newer, so that an edit is never silently ignored.
import { spawnSync } from 'node:child_process';
import { isProgramStale } from './build-program.mjs';
import { isUiStale } from './build-ui.mjs';

if (isProgramStale() || isUiStale()) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
