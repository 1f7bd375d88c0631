// Bundles the program and the library, each into one file: a script that takes a lock should not wait for Node to open thirty files.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const HERE = import.meta.dirname;
const DIST = path.join(HERE, 'dist');

/** The licence of the parser of YAML, which becomes a part of the bundles, goes with it. */
const YAML_LICENCE = `/*!\n${readFileSync(new URL('LICENSE', packageOf('yaml')), 'utf8').trim()}\n*/`;

function packageOf(name) {
  return new URL('.', import.meta.resolve(`${name}/package.json`));
}

/** One file, and the parser of YAML in a second one that is loaded when it is needed. */
async function bundle(name, source, output, external = []) {
  const build = await rolldown({
    input: { [name]: source },
    platform: 'node',
    cwd: HERE,
    external,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const isYaml = ({ moduleIds }) => moduleIds.some((id) => id.includes('node_modules/yaml'));
  await build.write({
    entryFileNames: '[name].js',
    chunkFileNames: (chunk) => (isYaml(chunk) ? 'yaml.js' : '[name].js'),
    banner: (chunk) => (isYaml(chunk) ? YAML_LICENCE : ''),
    ...output,
  });
  await build.close();
}

rmSync(DIST, { recursive: true, force: true });
await bundle('cli', 'src/cli/main.ts', { dir: DIST, format: 'esm' }, ['pg']);
await bundle('lease-lock', 'src/lease-lock.ts', { dir: DIST, format: 'esm' });
await bundle('lease-lock', 'src/lease-lock.ts', { dir: path.join(DIST, 'commonjs'), format: 'cjs' });
writeFileSync(path.join(DIST, 'commonjs/package.json'), '{ "type": "commonjs" }\n');
const { status } = spawnSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: HERE, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
cpSync(path.join(DIST, 'types'), path.join(DIST, 'commonjs/types'), { recursive: true });
