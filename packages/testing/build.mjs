// Bundles the test server of the built program with all that it needs: installing it downloads nothing else, and Node opens few files.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const HERE = import.meta.dirname;
const ROOT = path.join(HERE, '../..');
const DIST = path.join(HERE, 'dist');

/** What only a server with a database or traces loads, on demand. */
const UNUSED = /(\/storage\/open-storage\.js|\/tracing\/open-telemetry-tracing\.js)/;

/** Modules find their files (pages, the manifest) where they are in this package, laid out as in the program's. */
const ownPlaces = {
  name: 'own-places',
  transform(code, id) {
    if (!code.includes('import.meta.') || !id.startsWith(path.join(ROOT, 'dist'))) return undefined;
    const place = JSON.stringify(path.relative(ROOT, id));
    return code
      .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${place}, new URL('../', import.meta.url)).href`)
      .replaceAll(/\bimport\.meta\.dirname\b/g, "''");
  },
};

/** Compilers of schemas, telephone numbers and further transports: frameworks look for them at once, and nothing here has any. */
const unneeded = {
  name: 'unneeded',
  resolveId: (id) =>
    /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler)|libphonenumber-js|@nestjs\/(microservices|websockets)\/)/.test(id)
      ? `\0${id}.cjs`
      : null,
  load: (id) => (id.startsWith('\0') && /fastify|phone|nestjs/.test(id) ? { code: NOTHING, moduleType: 'js' } : null),
};
const NOTHING = 'module.exports = () => () => () => true;';

rmSync(DIST, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: { testing: path.join(HERE, 'src/testing.mjs'), cli: path.join(HERE, 'src/cli.mjs') },
  external: UNUSED,
  plugins: [unneeded, ownPlaces],
  // Frameworks name optional packages that are not installed; those stay imports that may fail.
  onLog: (level, log, report) => (['UNRESOLVED_IMPORT', 'PLUGIN_TIMINGS'].includes(log.code) ? undefined : report(level, log)),
});
await bundle.write({
  dir: DIST,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  keepNames: true,
  minify: true,
});
await bundle.close();
for (const pages of ['ui', 'swagger-ui']) cpSync(path.join(ROOT, 'dist', pages), path.join(DIST, pages), { recursive: true });
const { status } = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: HERE, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
