// Writes the OpenAPI documents of the built server below openapi/ (or another directory), or with --check tells what differs there
// and ends with code 1. The documents are those that the server answers with; nothing in them depends on the machine.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { OpenApiDocuments } from '../dist/endpoints/openapi/openapi-documents.js';
import { ResourceRegistry } from '../dist/registry/resource-registry.js';
import { ServerConfig } from '../dist/server/config/server-config.js';
import { createAccess } from '../dist/server/lifecycle/access.js';
import { openIdDocuments } from '../dist/server/lifecycle/openid-documents.js';
import { createResources } from '../dist/server/lifecycle/resources.js';
import { VERSION } from '../dist/server/lifecycle/version.js';
import { MemoryStore } from '../dist/storage/memory-store.js';

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const directory = positionals[0] ?? path.join(import.meta.dirname, '../openapi');

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const serviceAccountKey = privateKey.export({ type: 'pkcs8', format: 'pem' });
const config = new ServerConfig();
const access = createAccess({ config, secrets: { adminToken: '', serviceAccountKey }, files: { watch: () => undefined } });
const { served, subresources } = createResources({
  objects: new MemoryStore(),
  now: () => 0,
  admissionPlugins: [],
  access,
});
const documents = new OpenApiDocuments(
  new ResourceRegistry(served, subresources),
  VERSION.gitVersion,
  openIdDocuments(config, access.serviceAccountTokens),
);
const files = new Map([
  ['swagger.json', documents.readers],
  ...[...documents.v3].map(([name, document]) => [path.join('v3', `${name}.json`), document]),
]);
const texts = new Map([...files].map(([name, document]) => [name, `${JSON.stringify(document.value, undefined, 2)}\n`]));

if (values.check) check();
else write();

function check() {
  const present = existing();
  const stale = [...texts].filter(([name, text]) => !present.includes(name) || readFileSync(path.join(directory, name), 'utf8') !== text);
  const wrong = [...stale.map(([name]) => name), ...present.filter((name) => !texts.has(name))];
  if (wrong.length === 0) return;
  process.stderr.write(`openapi/ is not what the server answers; run "npm run sync:openapi": ${wrong.join(', ')}\n`);
  process.exit(1);
}

function write() {
  for (const name of existing()) if (!texts.has(name)) rmSync(path.join(directory, name));
  for (const [name, text] of texts) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function existing() {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)));
  } catch {
    return [];
  }
}
