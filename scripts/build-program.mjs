// Bundles the program with all that it needs into dist, unless the existing build is newer than all its sources: Node takes longer to find and compile
// three thousand modules than the program takes to start.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RESOLVE, ROOT, ascii, quietly, required, sources, unneeded } from './build/bundle-plugins.mjs';
import { bundledPackages, licences } from './build/bundled-packages.mjs';

const DIST = path.join(ROOT, 'dist');
const MAIN = path.join(DIST, 'main.js');

/** What the bundle is made of, and what makes it. */
const SOURCES = [
  ...['src', 'packages/kube-client/src', 'packages/lease-lock/src', 'packages/lease-mcp/src', 'scripts/build', 'scripts/build-program.mjs'],
  ...['.swcrc', 'package.json', 'node_modules/.package-lock.json'],
];

/**
 * What is loaded together, each group with all that it imports and no group before it has. What is imported on demand and named nowhere here becomes
 * a chunk of its own.
 */
const GROUPS = [
  {
    name: 'start',
    test: /\/src\/(cli\/(lock\/lock-program|node-version|output\/command-error)|settings\/(compile-cache|source-positions))\.ts$/,
  },
  { name: 'lock', test: /\/lease-lock\/src\/cli\/run-program\.ts$/ },
  { name: 'commands', test: /\/src\/cli\/program\.ts$/ },
  { name: 'database', test: /\/src\/storage\/(maintenance\/with-existing-database|database\/start\/open-database)\.ts$/ },
  { name: 'certificates', test: /\/src\/server\/tls\/certificate-authority\.ts$/ },
  { name: 'server', test: /\/src\/(app\.module|server\/process\/(serve|server|start-api)|server\/workers\/create-server)\.ts$/ },
  { name: 'storage', test: /\/src\/storage\/open-storage\.ts$/ },
].map((group, at, { length }) => ({ ...group, priority: length - at }));

export function isProgramStale() {
  const built = changed(MAIN);
  return SOURCES.some((source) => newest(path.join(ROOT, source)) > built);
}

function newest(file) {
  if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) return changed(file);
  const entries = readdirSync(file, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'),
  );
  return Math.max(0, ...entries.map((entry) => changed(path.join(entry.parentPath, entry.name))));
}

function changed(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

export async function buildProgramIfStale() {
  if (isProgramStale()) await buildProgram();
}

async function buildProgram() {
  const began = new Date();
  const format = { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', codeSplitting: { groups: GROUPS } };
  write(await bundleProgram([required, unneeded, sources, ascii], format), began);
}

/** The program in one script, as an executable contains it: `{ code, map }`. */
export async function programAsScript() {
  const [{ code, map }] = await bundleProgram([unneeded, sources, ascii], { format: 'cjs', codeSplitting: false });
  return { code, map: slim(map) };
}

async function bundleProgram(plugins, format) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { main: 'src/main.ts' },
    resolve: RESOLVE,
    plugins,
    treeshake: { propertyReadSideEffects: false },
    onLog: quietly,
  });
  const { output } = await bundle.generate({
    ...format,
    keepNames: true,
    // Node prints the line of an error that nothing catches: it should be one.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
    comments: false,
    sourcemap: 'hidden',
  });
  await bundle.close();
  return output.filter(({ type }) => type === 'chunk');
}

/**
 * main.js comes last: a build that was interrupted is stale. Programs that run may still load chunks of the build before, whose names have the hash of
 * their contents; all files of a build have its time.
 */
function write(chunks, began) {
  mkdirSync(DIST, { recursive: true });
  const before = changed(MAIN);
  for (const entry of readdirSync(DIST)) {
    if (['ui', 'swagger-ui'].includes(entry) || changed(path.join(DIST, entry)) === before) continue;
    rmSync(path.join(DIST, entry), { recursive: true });
  }
  const put = (name, text, mode) => {
    const file = path.join(DIST, name);
    writeFileSync(`${file}.new`, text, { mode });
    utimesSync(`${file}.new`, began, began);
    renameSync(`${file}.new`, file);
  };
  const packages = bundledPackages(chunks.flatMap(({ moduleIds }) => moduleIds));
  put('bundled-packages.json', `${JSON.stringify(packages, undefined, 2)}\n`);
  put('LICENSES.txt', licences(packages));
  for (const { fileName, code, map } of chunks.toSorted((one, other) => Number(one.isEntry) - Number(other.isEntry))) {
    if (map) put(`${fileName}.map`, JSON.stringify(slim(map)));
    put(fileName, code, 0o755);
  }
}

/** What names sources and lines: paths in the repository, and no contents. */
function slim({ sources: files, mappings }) {
  return { version: 3, sources: files.map((file) => path.relative(ROOT, path.resolve(DIST, file))), names: [], mappings };
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) await buildProgramIfStale();
