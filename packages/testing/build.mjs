// Bundles the test server with all that it needs: installing it downloads nothing else, and Node opens few files.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { RESOLVE, ROOT, ascii, quietly, required, sources, unneeded } from '../../scripts/build/bundle-plugins.mjs';

const HERE = import.meta.dirname;
const DIST = path.join(HERE, 'dist');

/** What only a server with a database or traces loads, on demand. */
const UNUSED = /(\/storage\/open-storage\.js|\/tracing\/open-telemetry-tracing\.js)/;

rmSync(DIST, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  input: { testing: path.join(HERE, 'src/testing.mjs'), cli: path.join(HERE, 'src/cli.mjs') },
  external: UNUSED,
  resolve: RESOLVE,
  plugins: [required, unneeded, sources, ascii],
  treeshake: { propertyReadSideEffects: false },
  onLog: quietly,
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
