// Builds packages/dashboard into dist/ui, unless the existing build is newer than all its sources, and copies Swagger UI to dist/swagger-ui: who
// depends on its package also installs a script that reports the installation to a third party.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, statSync } from 'node:fs';
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

function copySwaggerUi() {
  const from = path.join(ROOT, 'node_modules/swagger-ui-dist');
  const wanted = /^(LICENSE|NOTICE|swagger-ui(-bundle\.js|-standalone-preset\.js|\.css)(\.LICENSE\.txt)?|favicon-.*)$/;
  for (const name of readdirSync(from).filter((each) => wanted.test(each))) {
    cpSync(path.join(from, name), path.join(ROOT, 'dist/swagger-ui', name));
  }
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) {
  copySwaggerUi();
  if (isUiStale()) {
    const { status } = spawnSync('npm', ['run', '--silent', 'build', '--', '--logLevel=warn'], { cwd: SOURCES, stdio: 'inherit' });
    process.exit(status ?? 1);
  }
}
