// Bundles the server with the SDK, of which this leaves most out: what serves HTTP.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';

const HERE = import.meta.dirname;
/** The packages that become a part of the bundle; their licences go with it. */
const BUNDLED = [
  '@modelcontextprotocol/sdk',
  'zod',
  'zod-to-json-schema',
  'ajv',
  'ajv-formats',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
];

export async function buildMcp(file) {
  const build = await rolldown({
    input: 'src/run-mcp.ts',
    platform: 'node',
    cwd: HERE,
    external: ['yaml', 'pg'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await build.write({ file, format: 'esm', codeSplitting: false, minify: true, banner: `/*!\n${BUNDLED.map(licenceOf).join('\n\n')}\n*/` });
  await build.close();
}

function licenceOf(name) {
  const folder = path.join(HERE, '../../node_modules', name);
  return `${name}\n${readFileSync(path.join(folder, 'LICENSE'), 'utf8').trim()}`;
}
