// Builds packages/dashboard into dist/ui, unless the existing build is newer than all its sources.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = path.join(ROOT, 'packages/dashboard');
const BUILT = path.join(ROOT, 'dist/ui/index.html');

export function isUiStale() {
  const built = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = ['src', 'public'].flatMap((folder) =>
    readdirSync(path.join(SOURCES, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  const others = ['index.html', 'vite.config.ts', 'package.json'].map((file) => path.join(SOURCES, file));
  return [...files, ...others].some((file) => statSync(file).mtimeMs > built);
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  if (isUiStale()) {
    const { status } = spawnSync('npm', ['run', '--silent', 'build', '--', '--logLevel=warn'], { cwd: SOURCES, stdio: 'inherit' });
    process.exit(status ?? 1);
  }
}
